// Charts on SVG for the figures to drag. Colours are classes k0 .. k6, ink, muted and accent of figures.css, the same as in
// the book's pictures; text keeps its size whatever the width. A chart is one picture to a screen reader, with a description.
(() => {
  "use strict";
  const F = window.companionFigures;
  const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  // A number as a reader wants it: so many significant digits, a true minus.
  const number = (v, digits = 4) => {
    const size = Math.abs(v);
    const text = size && (size >= 1e6 || size < 1e-4) ? v.toExponential(digits - 2).replace("e+", "e") : `${+v.toPrecision(digits)}`;
    return text.replace("-", "−");
  };
  const ticks = ([low, high], log, count) => {
    if (log) {
      const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
      const every = Math.max(1, Math.ceil((last - first) / count));
      return Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => 10 ** (first + i * every));
    }
    const raw = (high - low) / count, unit = 10 ** Math.floor(Math.log10(raw));
    const step = unit * [1, 2, 5, 10].find((m) => m * unit >= raw * (1 - 1e-9)), begin = Math.ceil(low / step - 1e-9);
    return Array.from({ length: Math.floor(high / step + 1e-9) - begin + 1 }, (_, i) => +((begin + i) * step).toPrecision(12));
  };
  const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const shade = (share) => {
    const at = 4 * Math.min(1, Math.max(0, share)), i = Math.min(3, Math.floor(at));
    return `rgb(${VIRIDIS[i].map((v, c) => Math.round(v + (at - i) * (VIRIDIS[i + 1][c] - v)))})`;
  };

  // options: x and y (ranges), xlabel, ylabel, height, xlog, ylog, xticks and yticks ([[place, words], ...] or []), margin
  // ([top, right, bottom, left] in pixels), equal (units of the same length on both axes).
  const chart = (host, options) => {
    const o = { height: 300, margin: [8, 10, options.xlabel ? 40 : 24, options.ylabel ? 58 : 44], ...options };
    const [top, right, bottom, left] = o.margin, width = host.clientWidth || 640, w = width - left - right;
    const h = o.equal ? Math.min(o.height - top - bottom, (w * (o.y[1] - o.y[0])) / (o.x[1] - o.x[0])) : o.height - top - bottom;
    const axis = ([low, high], log, length) => {
      const f = log ? Math.log : (v) => v, from = f(low), span = f(high) - from || 1;
      return (v) => (length * (f(v) - from)) / span;
    };
    const across = axis(o.x, o.xlog, o.equal ? (h * (o.x[1] - o.x[0])) / (o.y[1] - o.y[0]) : w), up = axis(o.y, o.ylog, h);
    const X = (v) => across(v).toFixed(1), Y = (v) => (h - up(v)).toFixed(1);
    const inside = [], outside = [];
    const path = (xs, ys) => {
      let pen = "M", d = "";
      for (let i = 0; i < xs.length; i++) {
        if (Number.isFinite(ys[i])) { d += `${pen}${X(xs[i])} ${Y(ys[i])}`; pen = "L"; } else pen = "M";
      }
      return d;
    };
    const put = (list, text) => { list.push(text); return self; };
    const words = (x, y, text, k, anchor, dy = 4) =>
      `<text class="${k}" x="${x}" y="${y}" dy="${dy}" text-anchor="${anchor}">${escaped(text)}</text>`;
    // k is a colour class; what is not finite leaves a gap.
    const self = {
      x: X, y: Y,
      line: (xs, ys, k = "k0", dash = "") => put(inside, `<path class="line ${k}" d="${path(xs, ys)}" stroke-dasharray="${dash}"/>`),
      band(xs, low, high, k = "k0") {
        // Closed piece by piece, as there may be gaps.
        for (let i = 0, j; i < xs.length; i = j + 1) {
          for (j = i; j < xs.length && Number.isFinite(low[j]); j++);
          const [a, b, c] = [xs, low, high].map((all) => [...all.slice(i, j)]);
          if (a.length) put(inside, `<path class="band ${k}" d="${path(a, c)}${path(a.reverse(), b.reverse()).replace("M", "L")}Z"/>`);
        }
        return self;
      },
      points: (xs, ys, k = "k0", { r = 3, hollow = false } = {}) =>
        put(inside, Array.from(xs, (x, i) => `<circle class="${hollow ? "hollow" : "dot"} ${k}" cx="${X(x)}" cy="${Y(ys[i])}" r="${r}"/>`).join("")),
      star: (x, y, k = "accent") =>
        put(inside, `<path class="dot ${k}" transform="translate(${X(x)} ${Y(y)})" d="M0-7 2-2 7-2 3 1.5 4.5 7 0 3.8-4.5 7-3 1.5-7-2-2-2Z"/>`),
      // A stretch of the x axis; low and high are shares of the height.
      span: (a, b, k = "muted", low = 0, high = 1) =>
        put(inside, `<rect class="span ${k}" x="${X(a)}" width="${Math.max(0, across(b) - across(a)).toFixed(1)}" y="${h * (1 - high)}" height="${h * (high - low)}"/>`),
      level: (y, k = "accent", dash = "6 4") => self.line(o.x, [y, y], k, dash),
      bars(xs, ys, k = "k0", breadth = 0.7) {
        xs.forEach((x, i) => {
          const tall = Math.max(0, up(ys[i]) - (o.ylog ? 0 : up(0)));
          put(inside, `<rect class="bar ${k}" x="${X(x - breadth / 2)}" width="${(across(breadth) - across(0)).toFixed(1)}" y="${Y(ys[i])}" height="${tall.toFixed(1)}"/>`);
        });
        return self;
      },
      // values of an n x n grid on [x] x [y], the second coordinate running fastest, as grid() has it
      heat(values, n, [low, high] = [Math.min(...values), Math.max(...values)]) {
        const a = (across(o.x[1]) / n), b = h / n;
        return put(inside, Array.from(values, (v, i) =>
          `<rect x="${(Math.floor(i / n) * a).toFixed(1)}" y="${(h - ((i % n) + 1) * b).toFixed(1)}" width="${(a + 0.4).toFixed(1)}" height="${(b + 0.4).toFixed(1)}" fill="${shade((v - low) / (high - low || 1))}"/>`).join(""));
      },
      text: (x, y, text, k = "ink", anchor = "start", dy = 4) => put(inside, words(X(x), Y(y), text, k, anchor, dy)),
      label: (x, y, text, k = "ink", anchor = "start", dy = 4) => put(outside, words(X(x), Y(y), text, k, anchor, dy)),
      // Write it; the description says what a reader who cannot see it needs to know, and follows the state.
      show(description) {
        const marks = (given, range, log, count) => given ?? ticks(range, log, count).map((v) => [v, number(v, 6)]);
        const xs = marks(o.xticks, o.x, o.xlog, Math.max(2, w / 80)), ys = marks(o.yticks, o.y, o.ylog, Math.max(2, h / 45));
        const frame = xs.map(([v, t]) => `<path class="grid" d="M${X(v)} 0V${h}"/>${words(X(v), h, t, "muted", "middle", 16)}`)
          .concat(ys.map(([v, t]) => `<path class="grid" d="M0 ${Y(v)}H${across(o.x[1])}"/>${words(-6, Y(v), t, "muted", "end")}`));
        if (o.xlabel) frame.push(words(across(o.x[1]) / 2, h, o.xlabel, "ink", "middle", 34));
        if (o.ylabel) frame.push(`<text class="ink" transform="translate(${12 - left} ${h / 2})rotate(-90)" text-anchor="middle">${escaped(o.ylabel)}</text>`);
        const tall = top + h + bottom;
        host.innerHTML = `<svg role="img" aria-label="${escaped(description)}" width="${width}" height="${tall}" viewBox="0 0 ${width} ${tall}">`
          + `<g transform="translate(${left} ${top})">${frame.join("")}<svg width="${across(o.x[1])}" height="${h}">${inside.join("")}</svg>${outside.join("")}</g></svg>`;
      },
    };
    return self;
  };
  // A law on three points is a place in a triangle: at([p, q, r]) gives [x, y].
  const simplex = (host, names, options = {}) => {
    const tall = Math.sqrt(3) / 2, at = ([, q, r]) => [q + r / 2, r * tall];
    const c = chart(host, { x: [-0.02, 1.02], y: [-0.02, tall + 0.02], equal: true, xticks: [], yticks: [], margin: [22, 24, 26, 24], ...options });
    const corners = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]].map(at);
    c.line(corners.map((p) => p[0]), corners.map((p) => p[1]), "muted");
    names.forEach((name, i) => c.label(...corners[i], name, "ink", ["start", "end", "middle"][i], i < 2 ? 18 : -8));
    return Object.assign(c, { at });
  };
  Object.assign(F, { chart, simplex, number, escaped, shade });
})();
