// Controls of the figures to drag: native inputs with visible labels, so that keys and screen readers work by themselves. The
// state stands in the address as #drag-NAME?a=1&b=2, and every number says whether it is computed here or from a record.
//
//   companionFigures.define("NAME", {controls, pictures: 1, compute(state, record), draw(result, state, hosts)})
//
// draw returns {values: [[words, value, recorded]], table: {caption, head, rows}, says}; recorded is true of what comes from the
// record. Numbers among them are rounded here. What is said, and the values, end the description of every picture.
"use strict";
{
const F = companionFigures;
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
};
const button = (words, act) => {
  const element = make("button", { type: "button", class: "companion-button" }, words);
  element.addEventListener("click", act);
  return element;
};
const highest = (c, state) => (typeof c.max === "function" ? c.max(state) : c.max);
// What was asked for, as the control allows it.
const allowed = (c, asked, state) => {
  if (c.options || c.values) return (c.values ?? Object.keys(c.options)).find((v) => `${v}` === `${asked}`) ?? c.value;
  const v = parseFloat(asked), near = Math.min(highest(c, state), Math.max(c.min, isFinite(v) ? v : c.value));
  return +(c.min + c.step * Math.round((near - c.min) / c.step)).toPrecision(12);
};
const mark = (recorded) => `<small class="drag-from">${recorded ? "from a record" : "computed here"}</small>`;
const told = (v) => F.escaped(typeof v === "number" ? F.number(v) : v);
const line = (tag, cells) => `<tr>${cells.map((cell) => `<${tag}>${told(cell)}</${tag}>`).join("")}</tr>`;

const mount = (stage, name, { controls, pictures = 1, compute, draw }) => {
  const settle = (asked) => {
    const full = Object.fromEntries(controls.map((c) => [c.name, c.value]));
    // Twice, since a control may end where another says.
    for (const _ of "12") controls.forEach((c) => { full[c.name] = allowed(c, asked[c.name], full); });
    return full;
  };
  const record = F.record(name);
  let state = settle({}), result, waiting = 0, writing = 0, width;

  const updates = [], panel = make("div", { class: "drag-controls", role: "group", "aria-label": "Settings of the figure" });
  controls.forEach((c) => {
    const id = `drag-${name}-${c.name}`, says = make("output", { for: id });
    const input = c.options
      ? make("select", { id }, ...Object.entries(c.options).map(([value, words]) => make("option", { value }, words)))
      : make("input", { id, type: "range", ...(c.values ? { min: 0, max: c.values.length - 1 } : { min: c.min, step: c.step }) });
    input.addEventListener("input", () => change({ [c.name]: c.values ? c.values[input.value] : input.value }));
    const box = make("div", { class: "drag-control" }, make("label", { for: id }, c.label), ...(c.options ? [] : [says]), input);
    panel.append(box);
    updates.push(() => {
      const v = state[c.name];
      box.hidden = c.when?.(state) === false;
      if (c.max) input.max = highest(c, state);
      input.value = c.values ? c.values.indexOf(v) : v;
      if (c.options) return;
      says.textContent = c.show ? c.show(v, state) : F.number(v);
      input.ariaValueText = says.textContent;
    });
  });
  const hosts = F.listed(pictures, () => make("div", { class: "drag-picture" }));
  const list = make("dl"), board = make("div", { class: "companion-scroll" });
  const summary = make("p", { class: "drag-summary", role: "status" }), done = make("span", { class: "drag-told", role: "status" });
  const link = button("Copy a link to this setting", async () => {
    write();
    try { await navigator.clipboard.writeText(location.href); done.textContent = "Copied."; }
    catch { done.textContent = "The address of this page leads to this setting: copy it from there."; }
  });
  stage.replaceChildren(panel, make("div", { class: "drag-pictures" }, ...hosts), summary, make("div", { class: "drag-numbers" }, list, board),
    make("div", { class: "drag-buttons" }, link, button("Reset", () => change(settle({}))), done));

  const show = () => {
    width = stage.clientWidth;
    const { values = [], table, says } = draw(result, state, hosts);
    const facts = [says, ...values.map(([words, value]) => `${words}: ${told(value)}.`)].join(" ");
    hosts.forEach(({ firstElementChild: svg }) => { svg.ariaLabel += ` ${facts}`; });
    summary.innerHTML = `${F.escaped(says)} ${mark()}`;
    list.innerHTML = values.map(([words, value, recorded]) => `<div><dt>${words}</dt><dd>${told(value)} ${mark(recorded)}</dd></div>`).join("");
    board.innerHTML = table ? `<table><caption>${table.caption} ${mark()}</caption><thead>${line("th", table.head)}</thead>`
      + `<tbody>${table.rows.map((cells) => line("td", cells)).join("")}</tbody></table>` : "";
  };
  const run = () => {
    const began = performance.now();
    updates.forEach((update) => update());
    result = compute(state, record);
    show();
    stage.dataset.ms = (performance.now() - began).toFixed(1);
  };
  // Not an entry of the history each, and not too often: browsers refuse hundreds of them.
  const write = () => {
    clearTimeout(writing);
    const changed = controls.filter((c) => state[c.name] !== c.value).map((c) => [c.name, state[c.name]]);
    history.replaceState(null, "", `#drag-${name}${changed.length ? "?" : ""}${new URLSearchParams(changed)}`);
  };
  const change = (asked) => {
    state = settle({ ...state, ...asked });
    done.textContent = "";
    waiting ||= requestAnimationFrame(() => { waiting = 0; run(); });
    clearTimeout(writing);
    writing = setTimeout(write, 150);
  };
  const read = () => {
    const [place, query = ""] = location.hash.split("?");
    if (place !== `#drag-${name}`) return;
    state = settle(Object.fromEntries(new URLSearchParams(query)));
    run();
    stage.parentElement.scrollIntoView();
  };
  addEventListener("hashchange", read);
  run();
  read();
  new ResizeObserver(() => { if (stage.clientWidth !== width) show(); }).observe(stage);
};

// Kinds of controls. What else is set goes last: when(state), show(value, state), and a value other than a menu's first.
F.range = (name, label, min, max, step, value, more) => ({ name, label, min, max, step, value, ...more });
F.seed = (value) => F.range("seed", "Seed", 0, 99, 1, value);
F.steps = (name, label, values, value, more) => ({ name, label, values, value, ...more });
F.menu = (name, label, options, more) => ({ name, label, options, value: Object.keys(options)[0], ...more });
F.record = (name) => JSON.parse(document.getElementById(`drag-${name}-record`)?.textContent ?? "null");
F.figures = {};
F.define = (name, definition) => {
  F.figures[name] = definition;
  document.querySelectorAll(`.drag-stage[data-figure="${name}"]`).forEach((stage) => mount(stage, name, definition));
};
}
