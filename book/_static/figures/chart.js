// Charts on SVG for the figures to drag. A colour is a class of figures.css: k0 .. k6, ink, muted, accent, the inks of the book's
// pictures. Text keeps its size whatever the width. To a screen reader a chart is one picture with a description.
"use strict";
{
const F = companionFigures;
const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
// So many significant digits, a true minus, powers of ten for what is very large or small.
const raised = (k) => [...`${k}`].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("");
const number = (v, digits = 3) => {
  const [m, e] = v.toExponential(digits - 1).split("e"), plain = !v || (e > -5 && e < 6) || !isFinite(v);
  return (plain ? `${+v.toPrecision(digits)}` : `${+m === 1 ? "" : `${+m}·`}10${raised(+e)}`).replace("-", "−").replace("Infinity", "∞");
};
const ticks = ([low, high], log, count) => {
  const [from, to] = log ? [Math.log10(low), Math.log10(high)] : [low, high];
  const raw = (to - from) / count, unit = log ? 1 : 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5, 10].find((m) => m * unit >= raw * (1 - 1e-9))), first = Math.ceil(from / step - 1e-9);
  return F.listed(Math.floor(to / step + 1e-9) - first + 1, (i) => +((first + i) * step).toPrecision(12)).map((v) => (log ? 10 ** v : v));
};
// On a telephone the charts of a figure, which stay in sight, share two fifths of the screen.
const narrow = matchMedia("screen and (max-width: 600px)");
const fitted = (height, { parentElement }, more) => (narrow.matches ? Math.min(height, Math.max(120, (more * 0.42 * innerHeight) / parentElement.children.length)) : height);
// x and y are ranges. A bare chart has no axes, and a unit is as long across as up.
const chart = (host, xlabel, x, ylabel, y, { height: most = 300, xlog, ylog, bare } = {}) => {
  const height = fitted(most, host, bare ? 1.3 : 1), [top, right, bottom, left] = bare ? [22, 24, 26, 24] : [8, 10, 40, 58], width = host.clientWidth || 640, ratio = (x[1] - x[0]) / (y[1] - y[0]);
  const h = Math.min(height - top - bottom, bare ? (width - left - right) / ratio : Infinity);
  const w = bare ? h * ratio : width - left - right, inside = [], outside = [], grips = [];
  const axis = ([low, high], log, length) => {
    const f = log ? Math.log : (v) => v, from = f(low), span = f(high) - from || 1, to = (v) => (length * (f(v) - from)) / span;
    // The place, kept on the axis, and what stands there.
    return Object.assign(to, { held: (v) => Math.max(0, Math.min(length, to(v))), back: (at, v = from + (span * at) / length) => (log ? Math.exp(v) : v) });
  };
  const across = axis(x, xlog, w), up = axis(y, ylog, h), X = (v) => across(v).toFixed(1), Y = (v) => (h - up(v)).toFixed(1);
  const path = (xs, ys) => {
    let pen = "M", d = "";
    Array.from(xs, (x, i) => {
      if (isFinite(ys[i])) { d += `${pen}${X(x)} ${Y(ys[i])}`; pen = "L"; } else pen = "M";
    });
    return d;
  };
  const words = (x, y, text, k, anchor, dy) => `<text class="${k}" x="${x}" y="${y}" dy="${dy}" text-anchor="${anchor}">${escaped(text)}</text>`;
  const put = (...parts) => { inside.push(...parts); return self; };
  // k is a colour class; what is not finite leaves a gap.
  const self = {
    line: (xs, ys, k = "k0", dash = "") => put(`<path class="line ${k}" d="${path(xs, ys)}" stroke-dasharray="${dash}"/>`),
    // a line across, with its name at its start, middle or end
    level(at, name = "", k = "accent", dash = "6 4", anchor = "start") {
      outside.push(words({ start: 5, middle: w / 2, end: w - 5 }[anchor], Y(at), name, k, anchor, -5));
      return self.line(x, [at, at], k, dash);
    },
    // so many standard deviations on both sides of a mean, closed piece by piece
    band(xs, mean, sd, width, k = "k0") {
      const edge = (from, to, side) => [...mean.slice(from, to)].map((m, i) => m + side * width * sd[from + i]);
      for (let i = 0, j; i < xs.length; i = j + 1) {
        for (j = i; j < xs.length && isFinite(mean[j]); j++);
        const a = [...xs.slice(i, j)], d = path(a, edge(i, j, 1));
        if (d) put(`<path class="band ${k}" d="${d}${path(a.reverse(), edge(i, j, -1).reverse()).replace("M", "L")}Z"/>`);
      }
      return self;
    },
    point: (x, y, k = "k0", r = 3, kind = "dot") => put(`<circle class="${kind} ${k}" cx="${X(x)}" cy="${Y(y)}" r="${r}"/>`),
    star: (x, y, k = "accent") =>
      put(`<path class="dot ${k}" transform="translate(${X(x)} ${Y(y)})" d="M0-7 2-2 7-2 3 1.5 4.5 7 0 3.8-4.5 7-3 1.5-7-2-2-2Z"/>`),
    // a stretch of the x axis; low and high are shares of the height
    span: (a, b, k = "muted", low = 0, high = 1) =>
      put(`<rect class="span ${k}" x="${X(a)}" y="${h * (1 - high)}" width="${X(b) - X(a)}" height="${h * (high - low)}"/>`),
    // Words are not cut off at the axes.
    text(x, y, text, k = "ink", anchor = "start", dy = 4) { outside.push(words(X(x), Y(y), text, k, anchor, dy)); return self; },
    // A handle for controls: one, or one across and one up. of(x, y) is what a place asks for; now, where it differs from the state.
    grip: (names, x, y, of, now) => {
      grips.push({ names, now, left: left + across.held(x), top: top + h - up.held(y), to: (px, py) => of(across.back(px - left), up.back(top + h - py)) });
      return self;
    },
    // The last call; what it says follows the state.
    show(description) {
      const frame = bare ? [] : [
        ...ticks(x, xlog, Math.max(2, w / 80)).map((v) => `<path class="grid" d="M${X(v)} 0V${h}"/>${words(X(v), h, number(v, 6), "muted", "middle", 16)}`),
        ...ticks(y, ylog, Math.max(2, h / (narrow.matches ? 28 : 45))).map((v) => `<path class="grid" d="M0 ${Y(v)}H${w}"/>${words(-6, Y(v), number(v, 6), "muted", "end", 4)}`),
        words(w / 2, h, xlabel, "ink", "middle", 34),
        `<g transform="translate(${12 - left} ${Math.max(h / 2, 3.3 * ylabel.length - top)})rotate(-90)">${words(0, 0, ylabel, "ink", "middle", 0)}</g>`,
      ];
      host.grips = grips;
      host.querySelector("svg")?.remove();
      host.insertAdjacentHTML("afterbegin", `<svg role="img" aria-label="${escaped(description)}" width="${width}" height="${top + h + bottom}">`
        + `<g transform="translate(${left} ${top})">${frame.join("")}<svg width="${w}" height="${h}">${inside.join("")}</svg>${outside.join("")}</g></svg>`);
    },
  };
  return self;
};
Object.assign(F, { chart, number, escaped });
}
