// Controls of the figures to drag: native inputs with visible labels, so that keys and screen readers work by themselves, and
// handles in the pictures. The state stands in the address as #drag-NAME?a=1&b=2; links in the text lead to such an address, and
// numbers in the text follow.
//
//   companionFigures.define("NAME", {controls, pictures: 1, compute(state, record), draw(result, state, hosts), play, count})
//
// draw returns {values: [[words, value, recorded]], table: {caption, head, rows}, says, live: {name: value}, told, code, grey};
// recorded is true of what comes from the record. Numbers among them are rounded here; told is HTML, above the table; code is a
// program to copy; grey says of controls why they change nothing now. What is said, and the values, end the description of every picture. play is [control, milliseconds, steps at a time]; count is a list of {words, holds(result,
// state)}, or of {words, of(result, state)} for a median, asked of 100 seeds; here says where the numbers are from.
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
  element.onclick = act;
  return element;
};
const highest = (c, state) => (c.max.call ? c.max(state) : c.max);
// What was asked for, as the control allows it.
const allowed = (c, asked, state) => {
  if (c.options || c.values) return (c.values ?? Object.keys(c.options)).find((v) => `${v}` === `${asked}`) ?? c.value;
  const v = parseFloat(asked), near = Math.min(highest(c, state), Math.max(c.min, isFinite(v) ? v : c.value));
  return +(c.min + c.step * Math.round((near - c.min) / c.step)).toPrecision(12);
};
const mark = (recorded) => (recorded ? ' <small class="drag-from">from a record</small>' : "");
// So many steps further.
const further = (c, v, by) => (c.values ? c.values[Math.max(0, Math.min(c.values.length - 1, c.values.indexOf(v) + by))] : v + by * c.step);
const AXES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [1, -10], PageUp: [1, 10], Home: [0, -1e9], End: [0, 1e9] };
const plain = (v) => (typeof v === "number" ? F.number(v) : v), told = (v) => F.escaped(plain(v));
const spelled = (c, v, state) => c.options?.[v] ?? c.show?.(v, state) ?? plain(v);
const line = (tag, cells) => `<tr>${cells.map((cell) => `<${tag}>${told(cell)}</${tag}>`).join("")}</tr>`;

const mount = (stage, name, { controls: all, pictures = 1, compute, draw, play, count = [], here: said }) => {
  // A page may begin elsewhere, and what it fixes is no choice.
  const { fixed = "", start = "" } = stage.dataset, kept = new URLSearchParams(fixed), begun = new URLSearchParams(`${start}&${fixed}`);
  const controls = all.map((c) => {
    const value = begun.has(c.name) ? allowed(c, begun.get(c.name), {}) : c.value;
    return { ...c, value, ...(kept.has(c.name) ? { fixed: 1, options: null, values: [value] } : {}) };
  });
  const named = (wanted) => controls.find((c) => c.name === wanted);
  const settle = (asked) => {
    const full = Object.fromEntries(controls.map((c) => [c.name, c.value]));
    // Twice, since a control may end where another says.
    for (const _ of "12") controls.forEach((c) => { full[c.name] = allowed(c, asked[c.name], full); });
    return full;
  };
  const record = F.record(name);
  let state = settle({}), result, waiting = 0, writing = 0, width, missed = "";

  const updates = [], greys = [], panel = make("div", { class: "drag-controls", role: "group", "aria-label": "Settings of the figure" });
  // What is seldom changed is folded.
  const folded = make("div", { class: "drag-controls" }), fold = make("details", { class: "drag-fold" }, make("summary", {}, "More settings"), folded);
  controls.filter((c) => !c.grip && !c.fixed).forEach((c) => {
    const id = `drag-${name}-${c.name}`, says = make("output", { for: id });
    const input = c.options
      ? make("select", { id }, ...Object.entries(c.options).map(([value, words]) => make("option", { value }, words)))
      : make("input", { id, type: "range", ...(c.values ? { min: 0, max: c.values.length - 1 } : { min: c.min, step: c.step }) });
    input.oninput = () => change({ [c.name]: c.values ? c.values[input.value] : input.value });
    const box = make("div", { class: "drag-control" }, make("label", { for: id }, c.label), ...(c.options ? [] : [says]), input);
    (c.fold ? folded : panel).append(box);
    greys.push((grey) => { input.disabled = !!grey[c.name]; input.title = box.title = grey[c.name] ?? ""; });
    updates.push(() => {
      const v = state[c.name];
      box.hidden = c.when?.(state) === false;
      if (c.max) input.max = highest(c, state);
      input.value = c.values ? c.values.indexOf(v) : v;
      if (c.options) return;
      says.textContent = spelled(c, v, state);
      input.ariaValueText = says.textContent;
    });
  });
  if (folded.firstChild) panel.append(fold);
  const hosts = F.listed(pictures, () => make("div", { class: "drag-picture" }));
  // What stands for a control in a picture: moved by a pointer, or by keys.
  const knob = (element, host) => {
    const grip = () => host.grips.find(({ names }) => named(names[0]).knob === element);
    // What a place means stays as it was when the handle was taken, whatever the picture becomes on the way.
    let held;
    element.onpointerdown = ({ pointerId }) => { element.setPointerCapture(pointerId); held = grip(); };
    element.onpointermove = ({ pointerId, clientX, clientY }) => {
      const box = host.getBoundingClientRect();
      if (element.hasPointerCapture(pointerId)) change(held.to(clientX - box.left, clientY - box.top));
    };
    element.onkeydown = (event) => {
      const [axis, by] = AXES[event.key] ?? [], { names, now = state } = grip(), c = named(names[axis] ?? names[0]);
      if (!by) return;
      event.preventDefault();
      change({ ...now, [c.name]: further(c, now[c.name], by) });
    };
    return element;
  };
  // A handle stands where the picture has a grip for what may be moved, and nowhere else.
  const hold = (host) => {
    const knobs = host.grips.filter(({ names }) => !named(names[0]).fixed).map(({ names, now = state, left, top }) => {
      const all = names.map(named), [c] = all, element = c.knob ??= knob(make("div", { class: "drag-knob", role: "slider", tabindex: 0, id: `drag-${name}-${c.name}` }), host);
      element.style.translate = `${left}px ${top}px`;
      return Object.assign(element, {
        ariaLabel: all.map((c) => c.label).join(", "), ariaValueText: all.map((c) => spelled(c, now[c.name], state)).join(", "),
        ariaValueNow: c.values ? c.values.indexOf(now[c.name]) : now[c.name],
        ariaValueMin: c.values ? 0 : c.min, ariaValueMax: c.values ? c.values.length - 1 : highest(c, state),
      });
    });
    [...host.querySelectorAll(".drag-knob")].filter((element) => !knobs.includes(element)).forEach((element) => element.remove());
    knobs.forEach((element) => { if (!element.isConnected) host.append(element); });
  };
  const code = make("pre", { tabindex: 0, role: "region", "aria-label": "The program" }), copied = make("span", { class: "drag-copied", role: "status" });
  const copy = button("Copy the program", async () => {
    try { await navigator.clipboard.writeText(code.textContent); copied.textContent = "Copied."; }
    catch { getSelection().selectAllChildren(code); copied.textContent = "Selected, to be copied."; }
  });
  const program = make("div", { class: "drag-code" }, code, copy, copied);
  const list = make("dl"), board = make("div", { class: "companion-scroll" });
  const summary = make("p", { class: "drag-summary", role: "status" }), done = make("span", { class: "drag-told", role: "status" });
  const link = button("Copy a link to this setting", async () => {
    write();
    try { await navigator.clipboard.writeText(location.href); done.textContent = "Copied."; }
    catch { done.textContent = "Copy the address of this page."; }
  });
  // One step control is moved on by itself; by clicks alone where the reader wants nothing to move.
  let playing = 0, counting = 0;
  const [stepped, pace, by = 1] = play ?? [], calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const last = () => state[stepped] >= highest(named(stepped), state);
  const on = () => {
    change({ [stepped]: last() ? named(stepped).min : further(named(stepped), state[stepped], by) });
    if (last()) pause();
  };
  const pause = () => { playing = clearInterval(playing); player.textContent = calm ? "Next step" : "Play"; };
  const player = button("", () => {
    if (playing) return pause();
    if (!calm) { playing = setInterval(on, pace); player.textContent = "Pause"; }
    on();
  });
  // As many seeds at a time as leave the page responsive; between them it is told how far this is, and not read out each time.
  const counted = make("p", { class: "drag-counted", role: "status" }), COUNT = "Count over 100 seeds";
  const forget = (told = "") => {
    counting = clearTimeout(counting);
    Object.assign(counted, { textContent: told, ariaBusy: null });
    counter.textContent = COUNT;
  };
  const counter = button(COUNT, () => {
    if (counting) return forget();
    if (playing) pause(); // a move would be another setting than the one that is counted
    counter.textContent = "Stop counting";
    counted.ariaBusy = "true";
    const asked = state, hits = count.map(() => []);
    let seed = 0;
    const some = () => {
      for (const until = performance.now() + 12; seed < 100 && performance.now() < until; seed++) {
        const s = settle({ ...asked, seed }), r = compute(s, record);
        count.forEach(({ holds, of }, i) => hits[i].push(of ? of(r, s) : +!!holds(r, s)));
      }
      if (seed === 100) return forget(count.map(({ words, of }, i) => (of ? `${words}: ${plain(hits[i].sort((a, b) => a - b)[49])}.` : `In ${F.sum(hits[i])} of 100 seeds: ${words}.`)).join(" "));
      counted.textContent = `Counting: ${seed} of 100 seeds.`;
      counting = setTimeout(some);
    };
    some();
  });
  stage.replaceChildren(panel, make("div", { class: "drag-pictures" }, ...hosts), summary, program, make("div", { class: "drag-numbers" }, list, board),
    make("div", { class: "drag-buttons" }, ...(play ? [player] : []), ...(count.length ? [counter] : []), button("Reset", () => { pause(); change(settle({})); }), link, done),
    ...(count.length ? [counted] : []), make("p", { class: "drag-here" }, said ?? `Numbers are computed in your browser${record ? ", but for those marked as from a record" : ""}.`));

  const show = () => {
    width = stage.clientWidth;
    const { values = [], table, says, told: answer = "", live = {}, code: text = "", grey = {} } = draw(result, state, hosts);
    const facts = [says, ...values.map(([words, value]) => `${words}: ${told(value)}.`)].join(" ");
    hosts.forEach(({ firstElementChild: svg }) => { svg.ariaLabel += ` ${facts}`; });
    hosts.forEach(hold);
    summary.textContent = missed + says;
    program.hidden = !text;
    code.textContent = text.trim();
    greys.forEach((turn) => turn(grey));
    list.innerHTML = values.map(([words, value, recorded]) => `<div><dt>${words}</dt><dd>${told(value)}${mark(recorded)}</dd></div>`).join("");
    followers.forEach((element) => {
      const [, of] = element.dataset.of.split("."), c = named(of);
      element.innerHTML = c ? F.escaped(spelled(c, state[of], state)) : told(live[of]);
    });
    board.innerHTML = answer + (table ? `<table><caption>${table.caption}</caption><thead>${line("th", table.head)}</thead>`
      + `<tbody>${table.rows.map((cells) => line("td", cells)).join("")}</tbody></table>` : "");
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
  const take = (asked) => {
    const before = state;
    state = settle(asked);
    done.textContent = copied.textContent = missed = "";
    // The seed alone makes no other count.
    if (controls.some((c) => c.name !== "seed" && before[c.name] !== state[c.name])) forget();
  };
  const change = (asked) => {
    // With another step, what was moved in the one before is where it was.
    const cleared = controls.filter((c) => c.name in asked && asked[c.name] !== state[c.name]).flatMap((c) => c.clears ?? []);
    take({ ...state, ...Object.fromEntries(cleared.map((c) => [c, undefined])), ...asked });
    waiting ||= requestAnimationFrame(() => { waiting = 0; run(); });
    clearTimeout(writing);
    writing = setTimeout(write, 150);
  };
  const read = (first) => {
    const [place, query = ""] = location.hash.split("?");
    if (place !== `#drag-${name}`) return;
    pause();
    clearTimeout(writing);
    const asked = [...new URLSearchParams(query)];
    take(Object.fromEntries(asked));
    // Nothing is replaced in silence.
    missed = asked.filter(([c, v]) => c in state && state[c] != v).map(([c, v]) => `${c}=${v} is not offered; shown for ${state[c]}. `).join("");
    run();
    // Later only if it is out of sight.
    (first === true ? stage : hosts[0]).parentElement.scrollIntoView({ block: first === true ? "start" : "nearest" });
  };
  const of = (part) => [...document.querySelectorAll(part)].filter(({ dataset: { of } }) => of.split(/[.?]/)[0] === name), followers = of(".drag-live");
  of("span.drag-preset").forEach((words) => {
    const link = make("a", { class: "drag-preset", href: `#drag-${words.dataset.of}` }, ...words.childNodes);
    // The same address again is no change of it.
    link.onclick = () => { if (link.hash === location.hash) read(); };
    words.replaceWith(link);
  });
  addEventListener("hashchange", read);
  pause();
  run();
  read(true);
  new ResizeObserver(() => {
    if (stage.clientWidth !== width) show();
    // What comes into sight does so below the pictures that stay there.
    stage.style.setProperty("--pinned", `${hosts[0].parentElement?.offsetHeight ?? 0}px`);
  }).observe(stage);
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
