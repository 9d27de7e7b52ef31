// Controls of the figures to drag, from a list: native inputs with visible labels, so that keys and screen readers work by
// themselves. The state stands in the address as #drag-NAME?a=1&b=2, and each number says where it is from.
//
//   companionFigures.define("name", {title, controls, pictures, compute(state, record), draw(result, state, hosts)})
//
// draw returns {values: [[words, value, from]], table: {head, rows, from}, says}, where from is "here" or "record".
(() => {
  "use strict";
  const F = window.companionFigures;
  const FROM = { here: "computed here", record: "from a record" };
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  };
  const highest = (c, state) => (typeof c.max === "function" ? c.max(state) : c.max);
  // What was asked for, as the control allows it.
  const allowed = (c, asked, state) => {
    const listed = c.options ? Object.keys(c.options) : c.values;
    if (listed) return listed.find((v) => String(v) === String(asked)) ?? c.value;
    const v = asked === null || asked === "" || !Number.isFinite(+asked) ? c.value : +asked;
    const steps = Math.round((Math.min(highest(c, state), Math.max(c.min, v)) - c.min) / c.step);
    return +(c.min + steps * c.step).toPrecision(12);
  };

  const mount = (stage, name, definition) => {
    const place = stage.closest(".companion-drag"), inputs = definition.controls.filter((c) => c.name);
    const told = JSON.parse(document.getElementById(`drag-${name}-record`)?.textContent ?? "null");
    const settle = (asked) => {
      const state = Object.fromEntries(inputs.map((c) => [c.name, c.value]));
      inputs.forEach((c) => { state[c.name] = allowed(c, asked[c.name] ?? c.value, { ...state, ...asked }); });
      return state;
    };
    let state = settle({}), result, waiting = 0, writing = 0;

    const panel = make("div", { class: "drag-controls", role: "group", "aria-label": `Settings: ${definition.title}` });
    const shown = definition.controls.map((c, i) => {
      if (c.button) {
        const button = make("button", { type: "button", class: "companion-button" }, c.button);
        button.addEventListener("click", () => change(typeof c.set === "function" ? c.set(state) : c.set));
        panel.append(button);
        return () => {};
      }
      const id = `drag-${name}-${c.name}`, label = make("label", { for: id }, c.label), says = make("output", { for: id });
      const words = (v) => (c.options ? c.options[v] : c.show ? c.show(v, state) : F.number(v));
      const input = c.options
        ? make("select", { id }, ...Object.entries(c.options).map(([value, text]) => make("option", { value }, text)))
        : make("input", { id, type: "range", ...(c.values ? { min: 0, max: c.values.length - 1, step: 1 } : { min: c.min, step: c.step }) });
      input.addEventListener("input", () => change({ [c.name]: c.values ? c.values[input.value] : input.value }));
      const box = make("div", { class: "drag-control" }, label, ...(c.options ? [] : [says]), input);
      panel.append(box);
      return () => {
        const v = state[c.name];
        box.hidden = Boolean(c.when && !c.when(state));
        if (!c.options && !c.values) input.max = highest(c, state);
        input.value = c.values ? c.values.indexOf(v) : v;
        says.textContent = words(v);
        if (!c.options) input.setAttribute("aria-valuetext", words(v));
      };
    });
    const hosts = Array.from({ length: definition.pictures ?? 1 }, () => make("div", { class: "drag-picture" }));
    const summary = make("p", { class: "drag-summary", role: "status", "aria-live": "polite" });
    const numbers = make("div", { class: "drag-numbers" }), done = make("span", { role: "status", class: "drag-told" });
    const link = make("button", { type: "button", class: "companion-button" }, "Copy a link to this setting");
    const reset = make("button", { type: "button", class: "companion-button" }, "Reset");
    stage.replaceChildren(panel, make("div", { class: "drag-pictures" }, ...hosts), summary, numbers,
      make("div", { class: "drag-buttons" }, link, reset, done));

    const mark = (from) => `<small class="drag-from">${FROM[from ?? "here"]}</small>`;
    const tell = ({ values = [], table, says = "" }) => {
      summary.textContent = says;
      const listed = values.map(([words, value, from]) => `<div><dt>${F.escaped(words)}</dt><dd>${F.escaped(value)} ${mark(from)}</dd></div>`);
      const line = (tag, cells) => `<tr>${cells.map((cell) => `<${tag}>${F.escaped(cell)}</${tag}>`).join("")}</tr>`;
      numbers.innerHTML = (listed.length ? `<dl>${listed.join("")}</dl>` : "")
        + (table ? `<div class="companion-scroll"><table><caption>${F.escaped(table.caption ?? "")} ${mark(table.from)}</caption>`
          + `<thead>${line("th", table.head)}</thead><tbody>${table.rows.map((cells) => line("td", cells)).join("")}</tbody></table></div>` : "");
    };
    const draw = () => tell(definition.draw(result, state, hosts));
    const run = () => {
      const began = performance.now();
      shown.forEach((update) => update());
      result = definition.compute(state, told);
      draw();
      stage.dataset.ms = (performance.now() - began).toFixed(1);
    };
    const address = () => {
      const changed = inputs.filter((c) => state[c.name] !== c.value).map((c) => [c.name, state[c.name]]);
      return `#drag-${name}${changed.length ? "?" : ""}${new URLSearchParams(changed)}`;
    };
    // Not an entry of the history each, and not too often: browsers refuse hundreds of them.
    const write = () => { clearTimeout(writing); writing = 0; history.replaceState(null, "", address()); };
    const change = (asked) => {
      state = settle({ ...state, ...asked });
      done.textContent = "";
      waiting ||= requestAnimationFrame(() => { waiting = 0; run(); });
      clearTimeout(writing);
      writing = setTimeout(write, 150);
    };
    const read = () => {
      const [here, query = ""] = decodeURI(window.location.hash).split("?");
      if (here !== `#drag-${name}`) return;
      state = settle(Object.fromEntries(new URLSearchParams(query)));
      run();
      place.scrollIntoView();
    };
    reset.addEventListener("click", () => change(settle({})));
    link.addEventListener("click", async () => {
      write();
      try { await navigator.clipboard.writeText(window.location.href); done.textContent = "Copied."; }
      catch { done.textContent = "The address of this page now leads to this setting: copy it from there."; }
    });
    window.addEventListener("hashchange", read);
    run();
    read();
    let width = stage.clientWidth;
    new ResizeObserver(() => { if (stage.clientWidth !== width) { width = stage.clientWidth; draw(); } }).observe(stage);
  };

  F.figures = {};
  F.define = (name, definition) => {
    F.figures[name] = definition;
    document.querySelectorAll(`.drag-stage[data-figure="${name}"]`).forEach((stage) => mount(stage, name, definition));
  };
})();
