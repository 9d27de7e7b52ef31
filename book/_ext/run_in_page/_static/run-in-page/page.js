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
  const source = (pre) => pre.textContent.replace(/\n+$/, "\n"), line = (text) => text.replace(/\s+/g, " ").trim().replace(/^(.{399}).{2,}$/, "$1…");
  const plain = (text) => text.split("\n").map((line) => line.trimEnd()).join("\n").trim();
  const why = (pairs, code) => (pairs ?? []).find(([pattern]) => new RegExp(pattern, "m").test(code))?.[1], lacks = (code) => why(given.needs, code);
  const storing = (act) => { try { return act(localStorage); } catch { return null; } }; // a reader may have forbidden it
  const tell = (block, words, how = "") => {
    block.note.textContent = words;
    block.note.dataset.how = { good: "✓ ", other: "≠ ", bad: "✗ " }[how] ?? "";
    live.textContent = words && `${block.name}: ${words}`;
  };
  const refresh = () => blocks.forEach((block) => {
    for (const button of block.element.querySelectorAll("button.run-act")) button.ariaDisabled = String(Boolean(busy)); // it keeps the focus
    block.stop.hidden = busy !== block;
    block.reset.hidden = Boolean(busy) || !worker || !block.ran;
    if (busy !== block) block.loading.hidden = true;
  });
  // What a cell and those below it have said is true no longer; what is on the way goes on.
  const changed = (block) => blocks.slice(blocks.indexOf(block)).forEach((one) => {
    if (!one.alone && one !== busy) tell(one, one.out.hidden && !one.drawn.children.length ? "" : "From before the last change above.");
    one.done = false;
  });
  const stale = (block) => {
    if (!block.alone) changed(block);
    if (busy !== block) block.clear(block.hint?.());
  };
  const stop = (block, words, how) => {
    turn += 1;
    busy = null;
    end();
    changed(blocks[0]);
    tell(block, words, how);
    if ([block.stop, block.reset].includes(document.activeElement)) block.bar.querySelector("button").focus(); // before it is hidden
    refresh();
  };
  const picture = (figure, mode) => make("img", { className: `only-${mode}`, alt: figure.alt, src: URL.createObjectURL(new Blob([figure[mode]], { type: "image/svg+xml" })) });
  const write = ({ out }, text, isError) => Object.assign(out, { hidden: false }).append(isError ? make("span", { className: "run-error" }, text) : text);
  const execute = async (block) => {
    const began = performance.now(), result = { printed: "", errors: "" }, code = block.code();
    block.clear();
    tell(block, "Running");
    const clock = setInterval(() => { block.note.textContent = `Running, ${Math.round((performance.now() - began) / 1000)} s`; }, 1000);
    const answer = await ask({ run: code, name: block.file ?? block.name, alone: block.alone, before: block.before, check: block.check }, (text, isError) => {
      result[isError ? "errors" : "printed"] += text;
      write(block, text, isError);
    });
    clearInterval(clock);
    if (answer.stopped) return null;
    if (answer.failed) return stop(block, `Python ended: ${answer.failed}. What had been run is forgotten.`, "bad");
    Object.assign(result, answer.result, { seconds: (performance.now() - began) / 1000 });
    if (result.error !== result.said) write(block, result.error, true);
    block.drawn.replaceChildren(...result.figures.map((figure) => make("div", { tabIndex: 0, role: "group", ariaLabel: "Figure" }, picture(figure, "light"), picture(figure, "dark"))));
    Object.assign(block, { ran: true, done: !block.alone && !result.error && block.code() === code });
    if (block.code() === code) (block.judge ?? judge)(block, result);
    else tell(block, "This is of the text before your last change.", "other");
    return result;
  };
  const judge = (block, { printed, said, figures, seconds }) => {
    if (said) tell(block, `Ended with an error. ${line(said)}`, "bad");
    else if (block.printed === null) tell(block, figures.length ? "Drawn." : printed ? "Ran." : `Ran in ${seconds.toFixed(1)} s and prints nothing.`);
    else if (plain(printed) === plain(block.printed)) tell(block, "The same as printed.", "good");
    else tell(block, `Differs from what is printed${why(given.differs, block.code()) ?? ""}.`, "other");
  };
  // First runs what stands above and has not been run since something above it changed; other exercises do not.
  const run = async (block, again = false) => {
    if (busy) return null;
    const mine = (turn += 1), over = () => turn !== mine, above = () => blocks.slice(0, blocks.indexOf(block)).filter((one) => !one.alone && !one.done && !one.unable);
    const first = async (cells) => {
      for (const one of cells) {
        if (over()) return false;
        tell(block, `Runs ${one.name} first.`);
        if ((await execute(one))?.error) return tell(block, `Not run: ${one.name} above ended with an error.`, "bad");
      }
      return !over();
    };
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
      if (!block.alone && !(await first(above()))) return null;
      if (!block.alone) changed(block);
      let result = await execute(block);
      const cells = block.alone && result?.missing ? above() : [], ran = cells.filter((one) => one.name.startsWith("cell")).map((one) => one.name.replace("cell ", "")); // an answer may use them
      if (cells.some((one) => new RegExp(`\\b${result.missing}\\b`).test(one.code())) && (await first(cells)) && (result = await execute(block)))
        block.note.append(` (Ran ${ran.length > 1 ? `cells ${ran[0]} to ${ran.at(-1)}` : `cell ${ran[0]}`} first.)`);
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
      reset: button("Restart Python", () => {
        blocks.forEach((one) => Object.assign(one, { ran: false }).clear());
        stop(block, "Python begins anew: no cell has been run.");
      }, { hidden: true }),
      clear: (words = "") => {
        for (const image of block.drawn.querySelectorAll("img")) URL.revokeObjectURL(image.src);
        block.drawn.replaceChildren();
        block.out.replaceChildren();
        block.out.hidden = true;
        tell(block, words);
      },
    });
    const act = (words, again) => button(words, async () => (block.form?.reportValidity() ?? true) && (await run(block, again)) && block.after?.(), { className: "run-act" });
    block.bar = make("div", { className: "run-bar", role: "group", ariaLabel: block.name }, act(block.verb ?? "Run", false));
    if (!block.alone && !block.form && blocks.some((one) => !one.alone)) block.bar.append(act("Run all to here", true));
    block.unable = block.changes || block.free || block.form ? null : lacks(block.before ?? block.code());
    const instead = block.unable ? [`Does not run in the page: ${block.unable}.`] : block.free;
    if (block.pre && !instead) edit(block);
    block.bar.append(block.stop, block.reset, block.loading, block.note);
    if (instead) block.bar.replaceChildren(make("span", { className: "run-note" }, ...instead));
    element.append(block.bar, block.out, block.drawn);
    return blocks[blocks.push(block) - 1];
  };
  // Enter keeps the indentation and Backspace takes four blanks of it, Ctrl+Enter and Shift+Enter run, Tab goes on to the next control.
  const field = (block, ariaLabel, value, input) => {
    const area = make("textarea", { className: "run-code", ariaLabel, spellcheck: false, autocapitalize: "off", autocomplete: "off" });
    let now = value;
    const put = area.put = (text) => {
      area.rows = (area.value = now = text).split("\n").length + 1;
      stale(block);
    };
    area.setAttribute("wrap", "off");
    area.addEventListener("input", () => [put, input].forEach((act) => act(area.value)));
    window.addEventListener("pageshow", () => area.value === now || put(now)); // a browser that comes back may have put another field's text here
    area.addEventListener("keydown", (event) => {
      const from = area.selectionStart, row = area.value.slice(0, from).split("\n").at(-1), indent = /^ */.exec(row)[0] + (/:\s*$/.test(row) ? "    " : "");
      if (event.key === "Backspace" && from === area.selectionEnd && /^ +$/.test(row)) area.setSelectionRange(from - (((row.length - 1) % 4) + 1), from);
      if (event.key !== "Enter" || event.isComposing) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) run(block);
      else if (!indent || !document.execCommand("insertText", false, `\n${indent}`)) return; // a command, so that the browser's undo keeps working
      event.preventDefault();
    });
    put(value);
    return area;
  };
  // A reader's text, which the browser keeps; null is what the book has. The button takes it back, and brings it again until more is written.
  const own = (block, place, words, again, get, set) => {
    const key = `run-in-page ${location.pathname} ${place}`, load = (name) => storing((store) => store.getItem(name));
    let held = load(`${key} held`), written = false;
    const write = (text, back = null) => {
      [held, written] = [back, true];
      for (const [name, value] of [[key, text], [`${key} held`, held]]) storing((store) => (value === null ? store.removeItem(name) : store.setItem(name, value)));
      label();
    };
    const label = () => {
      button.textContent = held === null ? words : again;
      button.ariaLabel = `${button.textContent}: ${block.name}`;
    };
    const button = block.button(words, () => {
      const text = held;
      write(text, text === null ? get() : null);
      set(text);
    });
    const other = () => tell(block, "Another tab has another text here. The browser keeps what is written last.", "other");
    window.addEventListener("storage", (event) => event.key === key && (written ? other() : set(event.newValue)));
    label();
    return { button, write, text: load(key), held };
  };
  const edit = (block) => {
    const shown = block.pre.closest(".highlight") ?? block.pre, fold = shown.closest("details"), printed = block.code;
    let area = null;
    const set = (text) => {
      area?.remove();
      area = text === null ? null : field(block, `Code of ${block.name}`, text, mine.write);
      if (area) shown.after(area);
      if (area && fold && !fold.contains(block.bar)) fold.open = true;
      shown.hidden = open.hidden = Boolean(area);
      if (area) open.after(mine.button);
      block.code = area ? () => area.value : printed;
      stale(block);
    };
    const open = block.button("Edit", () => {
      set(printed().trimEnd());
      area.focus();
    });
    const mine = own(block, `${block.name} ${printed()}`, "Back to print", "Bring my edit back", () => area.value, set);
    block.bar.append(open);
    if (mine.text !== null) set(mine.text);
    else if (mine.held !== null) open.after(mine.button);
  };

  // ---- Exercises: an answer with the signature that the text gives, its check alone, and the book's answer after a try.
  const outputs = (cell) => [...cell.querySelectorAll(".cell_output .highlight pre")].map((one) => one.textContent).join("") || null;
  const exercise = (cell, solution) => {
    const before = source(cell.querySelector(".cell_input pre")), [, name] = /^def check_(\w+)/m.exec(before) ?? [];
    if (!name) return;
    if (solution) solution.hidden = true;
    const signature = [...document.querySelectorAll("code")].filter((one) => one.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING)
      .map((one) => one.textContent).findLast((text) => text.startsWith(`${name}(`)) ?? `${name}()`;
    const stub = `def ${signature}:\n    ...\n`, hint = () => (solution?.hidden ? "The book’s answer opens after your first check." : "");
    const judged = (of, { said, printed }) => {
      tell(of, said ? `Not yet. ${line(said)}` : `Right. ${line(printed.trim().split("\n").at(-1))}`, said ? "other" : "good");
      if (solution) solution.hidden = false;
    };
    const block = add(cell, { name: `the check of ${name}`, file: "your answer", verb: "Check", alone: true, before, check: name, judge: judged, hint, code: () => area.value });
    const mine = own(block, name, "Restore template", "Bring my answer back", () => area.value, (text) => area.put(text ?? stub));
    const area = field(block, `Your answer: ${name}`, mine.text ?? stub, mine.write);
    block.bar.prepend(area);
    block.stop.before(mine.button);
    if (!solution) return;
    const pre = solution.querySelector(".cell_input pre"), printed = outputs(solution), fold = solution.querySelector("details") ?? solution;
    fold.append(...solution.querySelectorAll(".cell_output"));
    add(fold, { name: `the book’s answer, ${name}`, alone: true, before, pre, code: () => source(pre), printed });
  };

  // ---- A reader's own numbers: of the lines `name = value  # meaning, unit` a field for each that a cell below reads.
  const reads = (code, name) => {
    const text = code.replace(/#.*|"""[^]*?"""|"[^"\n]*"/g, "").replace(/\b\w+=(?!=)/g, ""); // nor is the name of an argument read
    return new RegExp(`\\b${name}\\b`).test(text) && !new RegExp(`^[^\\n(]*\\b${name}\\b[^=\\n(]* = |\\bdef [^\\n]*\\b${name}\\b|\\bfor [^\\n]*\\b${name}\\b[^\\n]* in `, "m").test(text);
  };
  const parameters = (cell, pre, below) => {
    const holder = cell.querySelector("details") ?? cell, code = source(pre), name = "the parameters";
    const used = code.split("\n").map((text) => /^(\w+) = (.+?)  # (.+)$/.exec(text)).filter((found) => found && below.some((one) => reads(source(one), found[1])));
    const studies = given.commands ? ["The studies of this page run with other numbers by ", make("code", {}, given.commands, " ", make("span", {}, "-p name=value")), "."] : [];
    if (!used.length) return add(holder, { name, free: ["No cell below reads these numbers. ", ...studies], pre, code: () => code });
    const fields = used.map(([row, name, value, meaning]) => {
      const { low, high, whole, range = "", above = false, below = false } = given.ranges?.[name] ?? {}, number = !/^["']/.test(value) && !Number.isNaN(+value);
      const input = make("input", { name, type: number ? "number" : "text", step: whole ? 1 : "any", required: true, min: low ?? "", max: high ?? "", autocomplete: "off" });
      input.defaultValue = number ? value : value.slice(1, -1);
      input.addEventListener("input", () => {
        const open = (above && +input.value === low) || (below && +input.value === high);
        input.setCustomValidity(open ? `${name} lies in ${range}` : "");
        stale(block);
      });
      const now = () => `${name} = ${number ? input.value : JSON.stringify(input.value)}  # ${meaning}`;
      return { input, row, now, label: make("label", {}, make("code", {}, name), input, make("span", {}, meaning + (range && `, ${range}`))) };
    });
    const users = () => blocks.filter((one) => one !== block && !one.alone && !one.unable && fields.some(({ input }) => reads(one.code(), input.name)));
    const after = async () => {
      for (const one of users()) if (!(await run(one))) return;
      tell(block, `${users().map((one) => one.name).join(", ")} ran again.`);
    };
    const block = add(holder, { name, verb: "Run with these numbers", form: true, after, code: () => fields.reduce((text, one) => text.replace(one.row, () => one.now()), code) });
    block.bar.before(block.form = make("form", { className: "run-form", ariaLabel: "Your own numbers" }, ...fields.map((one) => one.label)));
    block.form.addEventListener("keydown", (event) => event.key === "Enter" && [event.preventDefault(), block.bar.querySelector("button").click()]);
    if (studies.length) block.bar.after(make("p", { className: "run-note" }, ...studies));
  };

  // ---- What the page has; it is there, since this script is deferred.
  const cells = [...document.querySelectorAll("div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
  const programs = given.programs ? [...document.querySelectorAll(given.programs)].filter((one) => !one.closest("div.cell")) : [];
  const able = typeof DecompressionStream === "function" && typeof Worker === "function" && globalThis.WebAssembly?.validate(
    new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 6, 1, 4, 1, 1, 105, 11])); // a local of type exnref
  const first = cells[0] ?? programs[0];
  const intro = make("p", { className: "run-intro" }, !able ? "The code of this page runs here in newer browsers: Chrome or Edge from 137, Firefox from 131, Safari from 18.4."
    : `The code of this page runs here: change it and see. The first Run loads Python, ${megabytes(weight)}, which the browser keeps; it takes 0.4 GB of memory, too much for many telephones. `
    + `Ctrl+Enter or Shift+Enter runs. Edits and answers are kept in this browser, and what an answer prints is shown.`);
  const greet = () => { intro.hidden = [...cells.map((cell) => cell.querySelector(".cell_input pre")), ...programs].every((one) => !one.textContent.trim() || lacks(one.textContent)); };
  first?.before(intro);
  greet();
  if (!first || !able) return;
  (document.querySelector("article") ?? document.body).append(live);
  cells.forEach((cell, place) => {
    const is = (one, tag) => one?.classList.contains(`tag_${tag}`), pre = cell.querySelector(".cell_input pre"), next = cells[place + 1];
    if (is(cell, "exercise-check")) exercise(cell, is(next, "exercise-solution") ? next : null);
    else if (is(cell, "parameters")) parameters(cell, pre, cells.slice(place + 1).filter((one) => !is(one, "exercise-check") && !is(one, "exercise-solution")).map((one) => one.querySelector(".cell_input pre")));
    else if (!is(cell, "exercise-solution")) add(cell, { name: `cell ${blocks.filter((one) => one.name.startsWith("cell")).length + 1}`, pre, code: () => source(pre), printed: outputs(cell) });
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
      block.bar.firstElementChild.hidden = Boolean(lacks(code())) || !code().trim();
      if (lacks(code())) tell(block, `Does not run in the page: ${lacks(code())}.`);
      greet();
    };
    new MutationObserver(look).observe(pre, { childList: true, characterData: true, subtree: true });
    look();
  });
  Object.assign(root, { blocks, runBlock: run });
})();
