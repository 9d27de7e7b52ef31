// Run the code of a page where it stands. The interpreter is loaded at the first Run and not before; without its files, or where the
// browser cannot run them, the page stays as it is. See README.md.
(() => {
  "use strict";
  const root = window.runInPage, me = document.currentScript, given = JSON.parse(me.dataset.given ?? "{}");
  if (!root?.files) return;
  const here = new URL(".", me.src).href, payloads = Object.entries(root.files.payloads);
  const weight = payloads.reduce((sum, [, file]) => sum + file.bytes, 0), megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
  const make = (tag, { role, ...attributes } = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), attributes);
    if (role) element.setAttribute("role", role);
    element.append(...inside);
    return element;
  };

  // ---- The engine. Its parts are scripts, which a page opened from a folder may load as well; a character has seven bits.
  const parts = {};
  root.part = (key, place, size, text) => {
    const data = new Uint8Array(size);
    for (let at = 0, to = 0, bits = 0, count = 0; to < size; at += 1) {
      bits = ((bits << 7) | text.charCodeAt(at)) & 0x3fff;
      count += 7;
      if (count >= 8) data[to++] = bits >> (count -= 8);
    }
    (parts[key] ??= [])[place] = data;
  };
  const script = (name) => new Promise((resolve, reject) => {
    const element = make("script", { src: here + name, onload: () => resolve(element.remove()), onerror: () => reject(new Error(`${name} could not be loaded`)) });
    document.head.append(element);
  });
  let kept = null, worker = null, ready = null, pending = null, count = 0;
  const load = async (progress) => {
    const names = payloads.flatMap(([key, { name, parts: n, bytes }]) => Array.from({ length: n }, (_, k) => [key, k, `${name}-${k}.js`, bytes / n]));
    let got = 0;
    const some = async () => {
      for (let next = names.shift(); next; next = names.shift()) {
        if (!parts[next[0]]?.[next[1]]) await script(next[2]);
        progress((got += next[3]));
      }
    };
    await Promise.all([script("worker.js"), some(), some(), some(), some()]);
    const core = new Blob(parts.core).stream().pipeThrough(new DecompressionStream("gzip")), found = {};
    found.module = await WebAssembly.compileStreaming(new Response(core, { headers: { "Content-Type": "application/wasm" } }));
    for (const key of ["stdlib", "plotting", "lib"]) found[key] = new Uint8Array(await new Blob(parts[key]).arrayBuffer());
    for (const key of Object.keys(parts)) delete parts[key];
    kept = found;
  };
  const ask = (message, heard = () => {}) => new Promise((resolve) => {
    const id = (count += 1);
    pending = resolve;
    worker.onmessage = ({ data }) => {
      if (data.out !== undefined || data.err !== undefined) heard(data.out ?? data.err, data.err !== undefined);
      else if (data.id === id) resolve(data);
    };
    worker.onerror = (event) => resolve({ failed: event.message });
    worker.postMessage({ id, ...message });
  });
  const end = () => {
    worker?.terminate();
    pending?.({ stopped: true });
    worker = ready = pending = null;
  };
  const start = (progress = () => {}) => (ready ??= (async () => {
    if (!kept) await load(progress);
    worker = new Worker(URL.createObjectURL(new Blob([`(${root.worker})()`], { type: "text/javascript" })));
    const { failed } = await ask({ boot: kept });
    if (failed) throw new Error(failed);
  })().catch((problem) => {
    end();
    throw problem;
  }));
  Object.assign(root, { stop: end, run: async (code, options, heard) => (await start(), ask({ run: code, ...options }, heard)) });

  // ---- The page: cells share their names and run in their order; what is alone changes nothing for the others.
  const blocks = [], live = make("p", { className: "run-spoken", role: "status" });
  let busy = null, turn = 0;
  const source = (pre) => pre.textContent.replace(/\n+$/, "\n"), last = (text) => text.split("\n").findLast((line) => line.trim()) ?? "";
  const plain = (text) => text.split("\n").map((line) => line.trimEnd()).join("\n").trim();
  const lacks = (block) => (given.needs ?? []).find(([pattern]) => new RegExp(pattern, "m").test(block.code()))?.[1];
  const tell = (block, words, how = "") => {
    block.note.textContent = words;
    block.note.dataset.how = how;
    live.textContent = words && `${block.name}: ${words}`;
  };
  const refresh = () => blocks.forEach((block) => {
    for (const button of block.element.querySelectorAll("button.run-act")) button.disabled = Boolean(busy);
    block.stop.hidden = busy !== block;
    block.reset.hidden = Boolean(busy) || !worker || !block.ran;
    if (busy !== block) block.loading.hidden = true;
  });
  const changed = (block) => blocks.slice(blocks.indexOf(block)).forEach((one) => { one.done = false; });
  const stop = (block, words, how) => {
    turn += 1;
    busy = null;
    end();
    changed(blocks[0]);
    tell(block, words, how);
    refresh();
  };
  const picture = (figure, mode) => make("img", { className: `only-${mode}`, alt: figure.alt, src: URL.createObjectURL(new Blob([figure[mode]], { type: "image/svg+xml" })) });
  const write = ({ out }, text, isError) => Object.assign(out, { hidden: false }).append(isError ? make("span", { className: "run-error" }, text) : text);
  const execute = async (block) => {
    const began = performance.now(), result = { printed: "", errors: "" };
    block.clear();
    const answer = await ask({ run: block.code(), name: block.name, alone: block.alone, before: block.before }, (text, isError) => {
      result[isError ? "errors" : "printed"] += text;
      write(block, text, isError);
    });
    if (answer.stopped) return null;
    if (answer.failed) return stop(block, `Python ended: ${answer.failed}. What had been run is forgotten.`, "bad");
    Object.assign(result, answer.result, { seconds: (performance.now() - began) / 1000 });
    if (result.error?.includes("\n")) write(block, result.error, true);
    block.drawn.replaceChildren(...result.figures.map((figure) => make("div", {}, picture(figure, "light"), picture(figure, "dark"))));
    block.ran = true;
    block.done = !block.alone && !result.error;
    (block.judge ?? judge)(block, result);
    return result;
  };
  const judge = (block, { printed, error, figures, seconds }) => {
    if (error) tell(block, `Ended with an error. ${last(error)}`, "bad");
    else if (block.printed === null) tell(block, figures.length ? "Drawn." : printed ? "Ran." : `Ran in ${seconds.toFixed(1)} s and prints nothing.`);
    else if (plain(printed) === plain(block.printed)) tell(block, "The same as printed.", "good");
    else tell(block, "Differs from what is printed.", "other");
  };
  // First runs what stands above and has not been run since something above it changed; other exercises do not.
  const run = async (block, again = false) => {
    if (busy) return null;
    const mine = (turn += 1), over = () => turn !== mine;
    busy = block;
    refresh();
    try {
      block.loading.hidden = Boolean(kept);
      if (!ready) tell(block, kept ? "Python starts." : `Loading Python, ${megabytes(weight)}, once.`);
      await start((bytes) => {
        block.loading.value = bytes / weight;
        if (!over()) block.note.textContent = `Loading Python, once: ${megabytes(bytes)} of ${megabytes(weight)}.`;
      });
      block.loading.hidden = true;
      if (again) changed(blocks[0]);
      for (const one of block.alone || block.free ? [] : blocks.slice(0, blocks.indexOf(block))) {
        if (over() || one.alone || one.done) continue;
        tell(block, `Runs ${one.name} first.`);
        if ((await execute(one))?.error) return tell(block, `Not run: ${one.name} above ended with an error.`, "bad");
      }
      if (over()) return null;
      tell(block, "Runs.");
      if (!block.alone) changed(block);
      const result = await execute(block);
      return over() ? null : result;
    } catch (problem) {
      return over() ? null : tell(block, `Python could not be started: ${problem.message}.`, "bad");
    } finally {
      if (!over()) busy = null;
      refresh();
    }
  };

  const add = (element, settings) => {
    const block = { element, printed: null, alone: false, done: false, ran: false, ...settings };
    const button = (words, onclick, more = {}) => make("button", { type: "button", textContent: words, ariaLabel: `${words}: ${block.name}`, onclick, ...more });
    Object.assign(block, {
      button,
      note: make("span", { className: "run-note" }),
      out: make("pre", { className: "run-out", hidden: true, tabIndex: 0, role: "region", ariaLabel: `What ${block.name} prints now` }),
      drawn: make("div", { className: "run-drawn" }),
      loading: make("progress", { hidden: true, value: 0, ariaLabel: "Loading Python" }),
      stop: button("Stop", () => stop(block, "Stopped. What had been run is forgotten."), { hidden: true }),
      reset: button("Reset", () => {
        blocks.forEach((one) => Object.assign(one, { ran: false }).clear());
        stop(block, "Python begins anew: no cell has been run.");
      }, { hidden: true }),
      clear: () => {
        for (const image of block.drawn.querySelectorAll("img")) URL.revokeObjectURL(image.src);
        block.drawn.replaceChildren();
        block.out.replaceChildren();
        block.out.hidden = true;
        tell(block, "");
      },
    });
    const act = (words, again) => button(words, () => run(block, again), { className: "run-act" });
    block.bar = make("div", { className: "run-bar", role: "group", ariaLabel: block.name });
    if (!block.free) block.bar.append(act(block.verb ?? "Run", false));
    if (!block.alone && !block.free && blocks.some((one) => !one.alone)) block.bar.append(act("Run all above", true));
    if (block.pre) edit(block);
    block.bar.append(block.stop, block.reset, block.loading, block.note);
    if (!block.changes && lacks(block)) block.bar.replaceChildren(make("span", { className: "run-note" }, `Does not run in the page: ${lacks(block)}.`));
    element.append(block.bar, block.out, block.drawn);
    return blocks[blocks.push(block) - 1];
  };
  // Enter keeps the indentation, Ctrl+Enter runs, Tab goes on to the next control.
  const field = (ariaLabel, value, runs) => {
    const area = make("textarea", { className: "run-code", value, ariaLabel, spellcheck: false, autocapitalize: "off" }), fit = () => { area.rows = area.value.split("\n").length + 1; };
    area.setAttribute("wrap", "off");
    area.addEventListener("input", fit);
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      const line = area.value.slice(0, area.selectionStart).split("\n").at(-1), indent = /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "    " : "");
      if (event.ctrlKey || event.metaKey) runs();
      else if (!indent || !document.execCommand("insertText", false, `\n${indent}`)) return; // a command, so that the browser's undo keeps working
      event.preventDefault();
    });
    fit();
    return area;
  };
  const edit = (block) => {
    const shown = block.pre.closest(".highlight") ?? block.pre, printed = block.code;
    const editing = (area) => {
      shown.hidden = open.hidden = Boolean(area);
      undo.hidden = !area;
      block.code = area ? () => area.value : printed;
      changed(block);
    };
    const open = block.button("Edit", () => {
      const area = field(`Code of ${block.name}`, printed().trimEnd(), () => run(block));
      area.addEventListener("input", () => changed(block));
      shown.after(area);
      editing(area);
      area.focus();
    });
    const undo = block.button("Undo", () => {
      shown.nextElementSibling.remove();
      editing(null);
      tell(block, "As printed again.");
      open.focus();
    }, { hidden: true });
    block.bar.append(open, undo);
  };

  // ---- Exercises: an answer with the signature that the text gives, its check alone, and the book's answer after a try.
  const outputs = (cell) => [...cell.querySelectorAll(".cell_output .highlight pre")].map((one) => one.textContent).join("") || null;
  const exercise = (cell, solution) => {
    const before = source(cell.querySelector(".cell_input pre")), [, check, name] = /^def (check_(\w+))/m.exec(before) ?? [];
    if (!check) return;
    const signature = [...document.querySelectorAll("code")].filter((one) => one.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING)
      .map((one) => one.textContent).findLast((text) => text.startsWith(`${name}(`)) ?? `${name}()`;
    const stub = `def ${signature}:\n    ...\n`, place = `run-in-page ${location.pathname} ${name}`;
    const storing = (act) => { try { return act(localStorage); } catch { return null; } }; // a reader may have forbidden it
    const area = field(`Your answer: ${name}`, storing((store) => store.getItem(place)) ?? stub, () => run(block));
    area.addEventListener("input", () => storing((store) => store.setItem(place, area.value)));
    const judged = (of, { error, printed }) => {
      tell(of, error ? `Not yet. ${last(error).replace("AssertionError: ", "")}` : `Right. ${last(printed)}`, error ? "other" : "good");
      if (solution) solution.hidden = false;
    };
    const block = add(cell, { name: `the check of ${name}`, verb: "Check", alone: true, before, judge: judged, code: () => `${area.value}\n\n\n${check}(${name})\n` });
    block.bar.prepend(area);
    block.stop.before(block.button("Begin anew", () => Object.assign(area, { value: stub }).dispatchEvent(new Event("input"))));
    if (!solution) return;
    const pre = solution.querySelector(".cell_input pre");
    solution.hidden = true;
    tell(block, "The book’s answer opens after your first check.");
    add(solution, { name: `the book’s answer, ${name}`, alone: true, before, pre, code: () => source(pre), printed: outputs(solution) });
  };

  // ---- A reader's own numbers: a field for each line `name = value  # meaning, unit`; the cells below that use one run again.
  const uses = (block, name) => {
    const code = block.code().replace(/#.*|"""[^]*?"""|"[^"\n]*"/g, "");
    return new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`^[^\\n(]*\\b${name}\\b[^=\\n(]* = |\\bdef [^\\n]*\\b${name}\\b|\\bfor [^\\n]*\\b${name}\\b[^\\n]* in `, "m").test(code);
  };
  const parameters = (cell, pre) => {
    const lines = source(pre).split("\n").map((line) => /^(\w+) = (.+?)  # (.+)$/.exec(line)).filter(Boolean);
    if (!lines.length) return;
    const fields = lines.map(([, name, value, meaning]) => {
      const quoted = /^["']/.test(value), [low, high, range] = given.ranges?.[name] ?? [];
      const input = make("input", { name, type: quoted || Number.isNaN(+value) ? "text" : "number", step: "any", required: true, min: low ?? "", max: high ?? "" });
      input.defaultValue = quoted ? value.slice(1, -1) : value;
      return { input, code: () => `${name} = ${quoted ? JSON.stringify(input.value) : input.value}\n`, label: make("label", {}, make("code", {}, name), input, make("span", {}, meaning + (range ? `, ${range}` : ""))) };
    });
    const holder = cell.querySelector("details") ?? cell, block = add(holder, { name: "the parameters", free: true, code: () => fields.map((one) => one.code()).join("") });
    const form = make("form", { className: "run-form", ariaLabel: "Your own numbers" }, ...fields.map((one) => one.label), make("button", { className: "run-act", textContent: "Run with these numbers" }));
    block.bar.before(form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const users = blocks.slice(blocks.indexOf(block)).filter((one) => one !== block && !one.alone && fields.some(({ input }) => uses(one, input.name)));
      const own = fields.filter(({ input }) => input.value !== input.defaultValue).map(({ input }) => ` -p ${input.name}=${input.value}`).join("");
      changed(block);
      for (const one of users) if (!(await run(one))) return;
      const rest = given.commands ? ` The studies of this page run with them by ${given.commands}${own}` : "";
      tell(block, users.length ? `Run again: ${users.map((one) => one.name).join(", ")}.${rest}` : `No cell shown below uses them.${rest}`);
    });
  };

  // ---- What the page has; it is there, since this script is deferred.
  const cells = [...document.querySelectorAll("div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
  const programs = given.programs ? [...document.querySelectorAll(given.programs)].filter((one) => !one.closest("div.cell")) : [];
  const able = typeof DecompressionStream === "function" && typeof Worker === "function" && globalThis.WebAssembly?.validate(
    new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 6, 1, 4, 1, 1, 105, 11])); // a local of type exnref
  const first = cells[0] ?? programs[0];
  first?.before(make("p", { className: "run-intro" }, able ? `The code of this page runs here: change it and see. The first Run loads Python, ${megabytes(weight)}, which the browser keeps; it takes 0.4 GB of memory, too much for many telephones.`
    : "The code of this page runs here in newer browsers: Chrome or Edge from 137, Firefox from 131, Safari from 18.4."));
  if (!first || !able) return;
  (document.querySelector("article") ?? document.body).append(live);
  let number = 0;
  cells.forEach((cell, place) => {
    const is = (one, tag) => one?.classList.contains(`tag_${tag}`), pre = cell.querySelector(".cell_input pre"), next = cells[place + 1];
    if (is(cell, "exercise-check")) exercise(cell, is(next, "exercise-solution") ? next : null);
    else if (is(cell, "parameters")) parameters(cell, pre);
    else if (!is(cell, "exercise-solution")) add(cell, { name: `cell ${(number += 1)}`, pre, code: () => source(pre), printed: outputs(cell) });
  });
  // A listing, and below it what it prints, if the page says so; or a listing that changes with the page's settings.
  programs.forEach((one, place) => {
    const pre = one.querySelector("pre") ?? one, next = one.nextElementSibling, printed = next?.matches(".highlight-text") ? next.querySelector("pre").textContent : null;
    const holder = make("div"), changes = pre === one, code = () => source(pre);
    (printed === null ? one : next).after(holder);
    const block = add(holder, { name: `program ${place + 1}`, alone: true, pre: changes ? null : pre, changes, code, printed });
    if (!changes) return;
    const look = () => {
      if (busy !== block) block.clear();
      block.bar.firstElementChild.hidden = Boolean(lacks(block)) || !code().trim();
      if (lacks(block)) tell(block, `Does not run in the page: ${lacks(block)}.`);
    };
    new MutationObserver(look).observe(pre, { childList: true, characterData: true, subtree: true });
    look();
  });
  Object.assign(root, { blocks, runBlock: run });
})();
