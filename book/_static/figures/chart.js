// Charts on SVG for the figures to drag. A colour is a class of figures.css: k0 .. k6, ink, muted, accent, the inks of the book's
// pictures. Text keeps its size whatever the width. To a screen reader a chart is one picture with a description.
(() => {
"use strict";
const F = window.companionFigures;
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
// So many significant digits, a true minus, powers of ten for what is very large or small.
const raised = (k) => [...`${k}`].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
const number = (v, digits = 4) => {
  const [m, e] = v.toExponential(digits - 1).split("e"), plain = !v || (e > -5 && e < 6) || !Number.isFinite(v);
  return (plain ? `${+v.toPrecision(digits)}` : `${+m === 1 ? "" : `${+m}·`}10${raised(+e)}`).replace("-", "−");
};
const ticks = ([low, high], log, count) => {
  const [from, to] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const raw = (to - from) / count, unit = log ? 1 : 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5, 10].find((m) => m * unit >= raw * (1 - 1e-9)) ?? 20), first = Math.ceil(from / step - 1e-9);
  const places = Array.from({ length: Math.floor(to / step + 1e-9) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(12));
  return places.map((v) => (log ? 10 ** v : v)).map((v) => [v, number(v, 6)]);
};
const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
const shade = (share) => {
  const at = 4 * Math.min(1, Math.max(0, share)), i = Math.min(3, Math.floor(at));
  return `rgb(${VIRIDIS[i].map((v, c) => Math.round(v + (at - i) * (VIRIDIS[i + 1][c] - v)))})`;
};

// options: x, y (ranges), xlabel, ylabel, height, xlog, ylog, xticks, yticks ([[place, words], ...]), margin ([top, right, bottom,
// left] in pixels), equal (a unit is as long on both axes)
const chart = (host, options) => {
  const o = { height: 300, margin: [8, 10, options.xlabel ? 40 : 24, options.ylabel ? 58 : 44], ...options };
  const [top, right, bottom, left] = o.margin, width = host.clientWidth || 640, ratio = (o.x[1] - o.x[0]) / (o.y[1] - o.y[0]);
  const h = Math.min(o.height - top - bottom, o.equal ? (width - left - right) / ratio : Infinity);
  const w = o.equal ? h * ratio : width - left - right, inside = [], outside = [];
  const axis = ([low, high], log, length) => {
    const f = log ? Math.log : (v) => v, from = f(low), span = f(high) - from || 1;
    return (v) => (length * (f(v) - from)) / span;
  };
  const across = axis(o.x, o.xlog, w), up = axis(o.y, o.ylog, h), X = (v) => across(v).toFixed(1), Y = (v) => (h - up(v)).toFixed(1);
  const path = (xs, ys) => {
    let pen = "M", d = "";
    Array.from(xs, (x, i) => {
      if (Number.isFinite(ys[i])) { d += `${pen}${X(x)} ${Y(ys[i])}`; pen = "L"; } else pen = "M";
    });
    return d;
  };
  const words = (x, y, text, k, anchor, dy) => `<text class="${k}" x="${x}" y="${y}" dy="${dy}" text-anchor="${anchor}">${escaped(text)}</text>`;
  const rect = (x, y, wide, tall, rest) => `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(0, wide).toFixed(1)}" height="${Math.max(0, tall).toFixed(1)}" ${rest}/>`;
  const put = (...parts) => { inside.push(...parts); return self; };
  const self = { // k is a colour class; what is not finite leaves a gap
    line: (xs, ys, k = "k0", dash = "") => put(`<path class="line ${k}" d="${path(xs, ys)}" stroke-dasharray="${dash}"/>`),
    level: (y, k = "accent", dash = "6 4") => self.line(o.x, [y, y], k, dash),
    band(xs, low, high, k = "k0") {
      for (let i = 0, j; i < xs.length; i = j + 1) { // closed piece by piece
        for (j = i; j < xs.length && Number.isFinite(low[j]); j++);
        const [a, b, c] = [xs, low, high].map((all) => [...all.slice(i, j)]);
        if (a.length) put(`<path class="band ${k}" d="${path(a, c)}${path(a.reverse(), b.reverse()).replace("M", "L")}Z"/>`);
      }
      return self;
    },
    points: (xs, ys, k = "k0", { r = 3, hollow = false } = {}) =>
      put(...Array.from(xs, (x, i) => `<circle class="${hollow ? "hollow" : "dot"} ${k}" cx="${X(x)}" cy="${Y(ys[i])}" r="${r}"/>`)),
    star: (x, y, k = "accent") =>
      put(`<path class="dot ${k}" transform="translate(${X(x)} ${Y(y)})" d="M0-7 2-2 7-2 3 1.5 4.5 7 0 3.8-4.5 7-3 1.5-7-2-2-2Z"/>`),
    // a stretch of the x axis; low and high are shares of the height
    span: (a, b, k = "muted", low = 0, high = 1) => put(rect(across(a), h * (1 - high), across(b) - across(a), h * (high - low), `class="span ${k}"`)),
    bars: (xs, ys, k = "k0", wide = 0.7) => put(...Array.from(xs, (x, i) => {
      const [a, b] = [o.ylog ? 0 : up(Math.max(0, o.y[0])), up(ys[i])], from = across(x - wide / 2);
      return rect(from, h - Math.max(a, b), across(x + wide / 2) - from, Math.abs(b - a), `class="bar ${k}"`);
    })),
    // values on grid(n, 2), its first coordinate across
    heat: (values, n, [low, high] = [Math.min(...values), Math.max(...values)]) => put(...Array.from(values, (v, i) =>
      rect((Math.floor(i / n) * w) / n, h - ((i % n) + 1) * (h / n), w / n + 0.5, h / n + 0.5, `fill="${shade((v - low) / (high - low || 1))}"`))),
    text: (x, y, text, k = "ink", anchor = "start", dy = 4) => put(words(X(x), Y(y), text, k, anchor, dy)),
    label(x, y, text, k = "ink", anchor = "start", dy = 4) { outside.push(words(X(x), Y(y), text, k, anchor, dy)); return self; },
    // The last call; what it says follows the state.
    show(description) {
      const frame = (o.xticks ?? ticks(o.x, o.xlog, Math.max(2, w / 80)))
        .map(([v, t]) => `<path class="grid" d="M${X(v)} 0V${h}"/>${words(X(v), h, t, "muted", "middle", 16)}`)
        .concat((o.yticks ?? ticks(o.y, o.ylog, Math.max(2, h / 45)))
          .map(([v, t]) => `<path class="grid" d="M0 ${Y(v)}H${w}"/>${words(-6, Y(v), t, "muted", "end", 4)}`));
      if (o.xlabel) frame.push(words(w / 2, h, o.xlabel, "ink", "middle", 34));
      if (o.ylabel) frame.push(`<g transform="translate(${12 - left} ${h / 2})rotate(-90)">${words(0, 0, o.ylabel, "ink", "middle", 0)}</g>`);
      host.innerHTML = `<svg role="img" aria-label="${escaped(description)}" width="${width}" height="${top + h + bottom}">`
        + `<g transform="translate(${left} ${top})">${frame.join("")}<svg width="${w}" height="${h}">${inside.join("")}</svg>${outside.join("")}</g></svg>`;
    },
  };
  return self;
};
// A law on three points is a place in a triangle: at([p, q, r]) is [x, y].
const simplex = (host, names, options = {}) => {
  const tall = Math.sqrt(3) / 2, at = ([, q, r]) => [q + r / 2, r * tall], corners = [[0, 0], [1, 0], [0.5, tall], [0, 0]];
  const c = chart(host, { x: [-0.02, 1.02], y: [-0.02, tall + 0.02], equal: true, xticks: [], yticks: [], margin: [22, 24, 26, 24], ...options });
  c.line(corners.map((p) => p[0]), corners.map((p) => p[1]), "muted");
  names.forEach((name, i) => c.label(...corners[i], name, "ink", ["start", "end", "middle"][i], i < 2 ? 18 : -8));
  return Object.assign(c, { at });
};
Object.assign(F, { chart, simplex, number, escaped });
})();
