// Run the code of a page where it stands. The interpreter is loaded at the first Run and not before; without its files, or where the
// browser cannot run them, the page stays as it is. See README.md.
(() => {
  "use strict";
  const root = window.runInPage, me = document.currentScript, given = JSON.parse(me.dataset.given ?? "{}");
  if (!root?.files) return;
  const here = new URL(".", me.src).href;

  const make = (tag, attributes = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...inside);
    return element;
  };
  const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
  const payloads = Object.entries(root.files), weight = payloads.reduce((sum, [, file]) => sum + file.bytes, 0);

  // ---- The engine: parts are scripts, which a page from a folder may load as well; seven bits a character.
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
    const element = make("script", { src: here + name });
    element.onload = () => { element.remove(); resolve(); };
    element.onerror = () => { element.remove(); reject(new Error(`${name} could not be loaded`)); };
    document.head.append(element);
  });
  let kept = null, worker = null, ready = null, asked = null, count = 0;
  const load = async (progress) => {
    let got = 0;
    await script("worker.js");
    const names = payloads.flatMap(([key, { name, parts: n, bytes }]) => Array.from({ length: n }, (_, k) => [key, k, `${name}-${k}.js`, bytes / n]));
    const loaders = Array.from({ length: 4 }, async () => {
      for (let next = names.shift(); next; next = names.shift()) {
        if (!parts[next[0]]?.[next[1]]) await script(next[2]);
        progress((got += next[3]));
      }
    });
    await Promise.all(loaders);
    const whole = async (key) => new Uint8Array(await new Blob(parts[key]).arrayBuffer());
    const module = new Blob(parts.core).stream().pipeThrough(new DecompressionStream("gzip"));
    kept = { module: await WebAssembly.compileStreaming(new Response(module, { headers: { "Content-Type": "application/wasm" } })) };
    for (const key of ["stdlib", "plotting", "lib"]) kept[key] = await whole(key);
    for (const key of Object.keys(parts)) delete parts[key];
  };
  const ask = (message, heard = () => {}) => new Promise((resolve) => {
    const id = (count += 1);
    asked = resolve;
    worker.onmessage = ({ data }) => (data.out ?? data.err) !== undefined ? heard(data.out ?? data.err, data.err !== undefined) : data.id === id && resolve(data);
    worker.onerror = (event) => resolve({ failed: event.message });
    worker.postMessage({ id, ...message });
  });
  const start = (progress) => (ready ??= (async () => {
    if (!kept) await load(progress);
    const mine = new Worker(URL.createObjectURL(new Blob([`(${root.worker})()`], { type: "text/javascript" })));
    worker = mine;
    const { failed } = await ask({ boot: kept });
    if (failed) throw new Error(failed);
  })().catch((problem) => {
    end();
    throw problem;
  }));
  const end = () => {
    worker?.terminate();
    worker = ready = null;
    asked?.({ stopped: true });
    asked = null;
  };
  root.run = async (code, options = {}, heard) => { // for other scripts of the page
    await start(() => {});
    return ask({ run: code, ...options }, heard);
  };
  root.stop = end;

  // ---- The page: cells that share their names, and what runs alone.
  const blocks = [];
  let busy = null, tries = 0;
  const live = make("p", { className: "run-spoken", role: "status" });
  const source = (pre) => pre.textContent.replace(/\n+$/, "\n");
  const plain = (text) => text.split("\n").map((line) => line.trimEnd()).join("\n").trim();
  const tell = (block, words, how = "") => {
    block.note.textContent = words;
    block.note.dataset.how = how;
    live.textContent = `${block.name}: ${words}`;
  };
  const refresh = () => {
    for (const block of blocks) {
      for (const button of block.bar.querySelectorAll("button.run-act")) button.disabled = Boolean(busy);
      block.buttons.stop.hidden = busy !== block;
      block.buttons.reset.hidden = busy || !worker || !block.ran;
    }
  };
  const forget = (block) => {
    const place = blocks.indexOf(block);
    blocks.slice(place).forEach((one) => { one.done = false; });
  };
  const stop = (words) => {
    const block = busy;
    tries += 1;
    busy = null;
    end();
    blocks.forEach((one) => { one.done = false; });
    if (block) {
      block.loading.hidden = true;
      tell(block, words);
    }
    refresh();
  };
  const reset = (block) => {
    stop("");
    for (const one of blocks) Object.assign(one, { ran: false }).show();
    tell(block, "Python begins anew: no cell has been run.");
    refresh();
  };
  const picture = (figure, mode) => make("img", {
    className: `only-${mode}`, alt: figure.alt, src: URL.createObjectURL(new Blob([figure[mode]], { type: "image/svg+xml" })),
  });
  // One program: what it prints as it prints it, then its figures, and whether it prints what the page has.
  const execute = async (block, code, options) => {
    block.show("");
    const began = performance.now();
    let printed = "", errors = "";
    const answer = await ask({ run: code, name: block.name, ...options }, (text, isError) => {
      if (isError) errors += text;
      else printed += text;
      block.out.append(isError ? make("span", { className: "run-error" }, text) : text);
      block.out.hidden = false;
    });
    if (answer.stopped) return null;
    if (answer.failed) {
      stop("");
      tell(block, `Python ended: ${answer.failed}. What had been run is forgotten.`, "bad");
      return null;
    }
    block.ran = true;
    const { error, figures } = answer.result;
    if (error) {
      block.out.append(make("span", { className: "run-error" }, error));
      block.out.hidden = false;
    }
    block.drawn.replaceChildren(...figures.map((figure) => make("div", {}, picture(figure, "light"), picture(figure, "dark"))));
    block.result = { printed, errors, error, figures: figures.length, seconds: (performance.now() - began) / 1000 };
    block.fit();
    return block.result;
  };
  const verdict = (block, { printed, error, figures, seconds }) => {
    if (error) return tell(block, `Ended with an error. ${error.split("\n").at(-1)}`, "bad");
    const printing = block.printed !== null || printed;
    if (!printing) return tell(block, figures ? "Drawn." : `Ran in ${seconds.toFixed(1)} s and prints nothing.`);
    if (block.printed === null) return tell(block, "Ran.");
    const same = plain(printed) === plain(block.printed);
    return tell(block, same ? "The same as printed." : "Differs from what is printed.", same ? "good" : "other");
  };
  const attempt = async (block, act) => {
    if (busy) return null;
    const mine = (tries += 1), over = () => tries !== mine;
    busy = block;
    refresh();
    let result = null;
    try {
      if (!ready || !kept) {
        block.loading.hidden = kept !== null;
        tell(block, kept ? "Python starts." : `Loading Python, ${megabytes(weight)}, once.`);
      }
      await start((bytes) => {
        block.loading.value = bytes / weight;
        if (!over()) block.note.textContent = `Loading Python, once: ${megabytes(bytes)} of ${megabytes(weight)}.`;
      });
      block.loading.hidden = true;
      if (!over()) result = await act(over);
    } catch (problem) {
      block.loading.hidden = true;
      if (!over()) tell(block, `Python could not be started: ${problem.message}.`, "bad");
    }
    if (!over()) busy = null;
    refresh();
    return over() ? null : result;
  };
  // What stands above and has not been run since something above it changed runs first; exercises and programs of others do not.
  const run = (block, again = false) => attempt(block, async (over) => {
    const above = block.alone ? [] : blocks.slice(0, blocks.indexOf(block)).filter((one) => !one.alone);
    if (again) forget(blocks[0]);
    for (const one of above.filter((each) => !each.done)) {
      tell(block, `Runs ${one.name} first.`);
      const result = await execute(one, one.code(), {});
      if (!result || over()) return null;
      verdict(one, result);
      if (result.error) {
        tell(block, `Not run: ${one.name} above ended with an error.`, "bad");
        return null;
      }
      one.done = true;
    }
    tell(block, "Runs.");
    if (!block.alone) forget(block);
    const result = await execute(block, block.code(), { alone: block.alone, before: block.before });
    if (!result || over()) return null;
    block.done = !block.alone && !result.error;
    verdict(block, result);
    block.after?.(result);
    return result;
  });

  const add = (element, settings) => {
    const block = { printed: null, alone: false, done: false, ran: false, fit() {}, ...settings, element };
    const act = (words, does, extra = {}) => make("button", { type: "button", textContent: words, ariaLabel: `${words}, ${block.name}`, onclick: does, ...extra });
    block.note = make("span", { className: "run-note" });
    block.out = make("pre", { className: "run-out", hidden: true, tabIndex: 0, ariaLabel: `What ${block.name} prints now` });
    block.out.setAttribute("role", "region");
    block.drawn = make("div", { className: "run-drawn" });
    block.loading = make("progress", { hidden: true, value: 0, ariaLabel: "Loading Python" });
    block.buttons = { stop: act("Stop", () => stop("Stopped. What had been run is forgotten."), { hidden: true }), reset: act("Reset", () => reset(block), { hidden: true }) };
    block.show = (text) => {
      block.out.textContent = text ?? "";
      block.out.hidden = !text;
      block.drawn.replaceChildren();
      if (text === undefined) block.note.textContent = "";
    };
    block.bar = make("div", { className: "run-bar", ariaLabel: block.name }, act(block.verb ?? "Run", () => run(block), { className: "run-act" }));
    block.bar.setAttribute("role", "group");
    if (!block.alone && blocks.some((one) => !one.alone)) block.bar.append(act("Run all above", () => run(block, true), { className: "run-act" }));
    if (block.pre && !block.fixed) edit(block, act);
    block.bar.append(block.buttons.stop, block.buttons.reset, block.loading, block.note);
    const why = (given.needs ?? []).find(([pattern]) => new RegExp(pattern, "m").test(block.code()));
    if (why && !block.fixed) {
      block.bar.replaceChildren(block.note);
      block.note.textContent = `Does not run in the page: ${why[1]}.`;
    }
    element.append(block.bar, block.out, block.drawn);
    blocks.push(block);
    return block;
  };
  // A text field in place of the listing; Enter keeps the indentation, Ctrl+Enter runs, Tab goes on.
  const field = (name, text, runs) => {
    const area = make("textarea", { className: "run-code", value: text, spellcheck: false, ariaLabel: name, autocapitalize: "off" });
    area.setAttribute("wrap", "off");
    const fit = () => { area.rows = area.value.split("\n").length + 1; };
    area.addEventListener("input", fit);
    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        runs();
        return;
      }
      const line = area.value.slice(0, area.selectionStart).split("\n").at(-1), indent = /^ */.exec(line)[0] + (/:\s*$/.test(line) ? "    " : "");
      if (!indent) return;
      event.preventDefault();
      // So that the browser's own undo keeps working.
      if (!document.execCommand("insertText", false, `\n${indent}`)) area.setRangeText(`\n${indent}`, area.selectionStart, area.selectionEnd, "end");
      fit();
    });
    fit();
    return area;
  };
  const edit = (block, act) => {
    const shown = block.pre.closest(".highlight") ?? block.pre;
    const printed = block.code;
    let area = null;
    const back = () => {
      area.remove();
      shown.hidden = open.hidden = undo.hidden;
      undo.hidden = true;
      shown.hidden = open.hidden = false;
      block.code = printed;
      forget(block);
      tell(block, "As printed again.");
      open.focus();
    };
    const undo = act("Undo", back, { hidden: true });
    const open = act("Edit", () => {
      area = field(`Code, ${block.name}`, printed().replace(/\n$/, ""), () => run(block));
      area.addEventListener("input", () => forget(block));
      shown.after(area);
      shown.hidden = open.hidden = true;
      undo.hidden = false;
      block.code = () => area.value;
      area.focus();
    });
    block.bar.append(open, undo);
  };

  // ---- Exercises: an answer's field with the signature that the text gives, its check alone, the book's answer after a try.
  const exercise = (cell, solution) => {
    const pre = cell.querySelector(".cell_input pre"), check = /^def (check_(\w+))/m.exec(source(pre));
    if (!check) return;
    const [, call, name] = check, call_ = `\n\n\n${call}(${name})\n`, before = cell.compareDocumentPosition.bind(cell);
    const signature = [...document.querySelectorAll("code")].filter((one) => before(one) & Node.DOCUMENT_POSITION_PRECEDING)
      .map((one) => one.textContent).findLast((text) => text.startsWith(`${name}(`)) ?? `${name}()`;
    const place = `run-in-page ${location.pathname} ${name}`, stub = `def ${signature}:\n    ...\n`;
    const stored = () => { try { return localStorage.getItem(place); } catch { return null; } };
    const area = field(`Your answer: ${name}`, stored() ?? stub, () => run(block));
    area.addEventListener("input", () => { try { localStorage.setItem(place, area.value); } catch { /* kept for this visit only */ } });
    const block = add(cell, { name: `the check of ${name}`, verb: "Check", alone: true, before: source(pre), code: () => area.value + call_ });
    block.bar.prepend(area);
    const again = make("button", { type: "button", textContent: "Begin anew", ariaLabel: `Begin anew, ${name}`, onclick: () => { area.value = stub; area.dispatchEvent(new Event("input")); } });
    block.buttons.stop.before(again);
    block.after = ({ printed, error }) => {
      if (!error) tell(block, `Right. ${plain(printed).split("\n").at(-1)}`, "good");
      else tell(block, `Not yet. ${error.split("\n").filter((line) => line.trim()).at(-1)}`, "other");
      if (solution) solution.hidden = false;
    };
    if (!solution) return;
    const own = solution.querySelector(".cell_input pre");
    solution.hidden = true;
    tell(block, "The book’s answer opens after your first check.");
    add(solution, { name: `the book’s answer, ${name}`, alone: true, before: source(pre), pre: own, code: () => source(own), printed: outputs(solution) });
  };
  const outputs = (cell) => {
    const found = [...cell.querySelectorAll(".cell_output .highlight pre")].map((one) => one.textContent);
    return found.length ? found.join("") : null;
  };
  // ---- A reader's own numbers: a field for each line ``name = value  # meaning, unit``; cells that use a name run again.
  const form = (block, pre) => {
    const lines = source(pre).split("\n").map((line) => /^(\w+) = (.+?)  # (.+)$/.exec(line)).filter(Boolean);
    if (!lines.length) return;
    const fields = lines.map(([, name, value, meaning]) => {
      const text = /^["']/.test(value), [low, high] = given.ranges?.[name] ?? [];
      const input = make("input", { name, type: text || Number.isNaN(Number(value)) ? "text" : "number", value: text ? value.slice(1, -1) : value, step: "any", required: true });
      if (low !== undefined && low !== null) input.min = low;
      if (high !== undefined && high !== null) input.max = high;
      const span = [low ?? "", high ?? ""].join(" to ").trim();
      return [input, text, make("label", {}, make("code", {}, name), input, make("span", {}, meaning + (low ?? high ?? null) !== null && (low ?? high) !== undefined ? `${meaning}; ${span}` : meaning))];
    });
    const element = make("form", { className: "run-form", ariaLabel: "Your own numbers" }, ...fields.map(([, , label]) => label), make("button", { className: "run-act", textContent: "Run with these numbers" }));
    const users = () => blocks.filter((one) => !one.alone && one !== block && lines.some(([, name]) => new RegExp(`\\b${name}\\b`).test(one.code().replace(/#.*/g, ""))) && blocks.indexOf(one) > blocks.indexOf(block));
    const code = () => fields.map(([input, text]) => `${input.name} = ${text ? JSON.stringify(input.value) : input.value}\n`).join("");
    element.addEventListener("submit", async (event) => {
      event.preventDefault();
      block.code = code;
      forget(block);
      const after = users(), result = await run(block);
      for (const one of result ? after : []) await run(one);
      const changed = fields.filter(([input]) => input.value !== input.defaultValue).map(([input]) => ` -p ${input.name}=${input.value}`).join("");
      if (result && !result.error) tell(block, after.length ? `Run again with your numbers: ${after.map((one) => one.name).join(", ")}.` : `No cell shown here uses them. ${given.command ? `The studies of this page do: ${given.command}${changed}` : ""}`);
    });
    block.bar.before(element);
  };

  const begin = () => {
    const cells = [...document.querySelectorAll("div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
    const able = typeof DecompressionStream === "function" && typeof Worker === "function" && globalThis.WebAssembly?.validate(
      // A function with a local of type exnref, which the engine needs.
      new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 6, 1, 4, 1, 1, 105, 11]));
    const programs = given.programs ? [...document.querySelectorAll(given.programs)].filter((one) => !one.closest("div.cell")) : [];
    const first = cells[0] ?? programs[0];
    if (!first) return;
    const words = able ? `The code of this page runs here: change it and see. The first Run loads Python, ${megabytes(weight)}, which the browser keeps; it takes 0.4 GB of memory, too much for many telephones.`
      : "The code of this page would run here in a newer browser: Chrome or Edge from 137, Firefox from 131, Safari from 18.4.";
    first.before(make("p", { className: "run-intro" }, words));
    if (!able) return;
    (document.querySelector("article") ?? document.body).append(live);
    let number = 0;
    cells.forEach((cell, place) => {
      const is = (tag, one = cell) => one?.classList.contains(`tag_${tag}`), pre = cell.querySelector(".cell_input pre");
      if (is("exercise-check")) return exercise(cell, is("exercise-solution", cells[place + 1]) ? cells[place + 1] : null);
      if (is("exercise-solution")) return undefined;
      const block = add(cell, { name: is("parameters") ? "the parameters" : `cell ${(number += 1)}`, pre, fixed: is("parameters"), code: () => source(pre), printed: outputs(cell) });
      if (is("parameters")) form(block, pre);
      return block;
    });
    // A listing, and below it what it prints, if the page says so.
    programs.forEach((one, place) => {
      const pre = one.matches("pre") ? one : one.querySelector("pre"), next = one.nextElementSibling;
      const printed = next?.matches(".highlight-text") ? next.querySelector("pre").textContent : null;
      const still = one.matches("div[class*=highlight-]"), holder = make("div", { className: "run-program" });
      (printed === null ? one : next).after(holder);
      const block = add(holder, { name: `program ${place + 1}`, alone: true, pre, code: () => source(pre), printed, fixed: !still });
      if (still) return;
      // Its text changes with the page's settings.
      const look = () => {
        const why = (given.needs ?? []).find(([pattern]) => new RegExp(pattern, "m").test(block.code()));
        block.bar.querySelector("button").hidden = Boolean(why) || !block.code().trim();
        if (busy !== block) block.show();
        if (why) block.note.textContent = `Does not run in the page: ${why[1]}.`;
      };
      new MutationObserver(look).observe(pre, { childList: true, characterData: true, subtree: true });
      look();
    });
    Object.assign(root, { blocks, runBlock: run });
    document.dispatchEvent(new CustomEvent("run-in-page"));
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
