// The answer for one's own setting, looked up in the record of companion.papers.across.page.decide; only widths are computed. The
// words are those of across_decide.toml.
"use strict";
{
const F = companionFigures, { log, sqrt, abs } = Math, n = F.number, KERNELS = { se: "squared exponential", matern52: "Matérn 5/2", matern32: "Matérn 3/2" };
// The nearest by ratio; the first of two.
const off = (a, b) => abs(log(a / b)), nearest = (all, v) => all.reduce((a, b) => (off(b, v) < off(a, v) - 1e-9 ? b : a));
const told = (v, unit = "") => v && `${n(v[0])}${unit} (${n(v[1])} to ${n(v[2])})`, fill = (text, at) => text.replace(/\{(\w+)\}/g, (_, key) => at[key]);

const compute = (s, { data: D, words: W }) => {
  const { f, psi, kernel, dim, N, T, pay, batch, noise, delta, eps, doubt } = s, normed = (v) => (f === "norm" ? `, norm ${v}` : "");
  const measure = { every: "cumulative", rounds: "rounds" }[pay] ?? (T < 50 ? "early" : T < 80 ? "half" : "final"), { rows, of, d, near, other } = D.ranks[`${measure} ${batch} ${noise}`];
  const range = f === "norm" ? psi * D.spread : D.lines[`${kernel} ${nearest([1, 2, 3], dim)}`], sd = noise * range, kind = f === "none" ? "test" : f;
  const fitted = doubt === "fitted", at = { ...s, measure: W.measures[measure], pay: W.pays[pay], kernel: KERNELS[kernel], all: D.functions.all, seeds: D.seeds };
  const part = (name, variant, more) => W[name][variant].map((text) => fill(text, Object.assign(at, more)));

  const [usual, proved, more] = D.widths[`${measure} ${batch} ${noise}`], g = nearest([1, 2, 3], dim), v = nearest([0.01, 0.03, 0.1, 0.3, 1], sd), cover = D.coverage[f] ?? [];
  const after = D.at.find((t) => t >= T), gain = D.gains[`${kernel} ${g} ${v}`][D.at.indexOf(after)];
  const played = fill(W.played[proved ? 0 : 1], { ...at, usual: told(usual), proved: told(proved), more: told(more) });
  const w = f === "draw" ? sqrt(2 * log((2 * N * T) / delta)) : sqrt(psi ** 2 + 2 * (gain - log(delta)));
  const width = part("width", f, { w: n(w), after, gain: n(gain), g, v, played, ...cover.map((c) => told(c, " %")) });

  // Ranked by what is chosen: with a fitted model only rules that were run with one.
  const run = `${pay === "every" ? "cumulative" : T < 50 ? "early" : "half"} ${batch > 1 ? 5 : 1}`, ranked = fitted ? D.fitted.rows[run] : rows;
  at.shown = fitted ? W.fits[run.split(" ")[0]] : at.measure;
  const [[rule, ...mean]] = rows, marked = (mark) => rows.slice(1).filter((r) => r[4] === mark).map(([name]) => D.names[name]).join("; ");
  const own = D.names[rule].split(", width ")[1], plays = W.plays[measure], even = marked(2), others = marked(1);
  const best = part("rule", fitted ? "fitted" : "known", { rule: D.names[rule] + (own ? fill(W.play, { own }) : "") + (even ? fill(W.level, { even }) : ""), mean: told(mean), others: others || W.none,
    asked: plays && plays !== T ? fill(W.asked, { ...at, plays }) : "", count: D.functions[kind], kind: W.kinds[kind], own: told(of[kind]), like: D.functions[dim], there: n(d[dim - 1]),
    also: fill(W.also[pay], { ...at, near: told(near[T / 10 - 1], " %"), other: told(other) }), ran: ranked.map(([name, ...m]) => `${D.names[name]} ${told(m)}`).join("; "), runs: W.fits[run.split(" ")[0]],
    fives: batch > 1 ? 5 : 1, few: D.fitted.functions, once: D.fitted.seeds[batch > 1 ? 5 : 1], not: rows.map(([name]) => name).filter((name) => !ranked.some(([r]) => r === name)).map((name) => D.names[name]).join("; ") });

  const h = nearest([0.1, 0.3, 1], sd), flat = dim > 1 ? 2 : 1, b = batch > 1 ? 5 : 1, [whose, reading, from] = D.horizons[`${f} ${kernel} ${flat} ${h} ${b}`] ?? [];
  const horizon = part("horizon", f === "none" ? f : !from ? "never" : from === 1 ? "first" : from > T ? "later" : "now", { whose, reading, from: n(from ?? 0), h, flat, b, points: 50 * flat,
    norm: normed(1), line: n(D.lines[`${kernel} 2`]) });

  const as = f === "none" ? "draw" : f, e = nearest([0.1, 0.3], eps * range), where = flat > 1 ? "square" : "line", q = nearest([0.1, 0.3], sd), { rules, rows: stops } = D.stops;
  const spoken = ([median, ...r]) => `${median ? `${n(median)} evaluations in the median` : `${n(r[3])} % stop`}, broken in ${told(r, " %")}`;
  const said = stops[`${as} ${where} ${kernel} ${q} right ${e}`], [[median]] = said;
  const all = said.map((row, i) => [W.rules[rules[as][i]], spoken(row)]), rest = all.slice(f === "none" ? 0 : 1).map((r) => r.join(": ")).join("; ");
  const stopping = { by: all[0][0], first: all[0][1], rest, place: W.places[where], q, e, limit: n(eps * range), sd: n(sd), within: median ? T : 200 / flat, norm: normed(3) };
  const how = f === "none" ? f : fitted ? doubt : delta < 0.1 || off(sd, q) > 0.7 || off(eps * range, e) > 0.7 ? "far" : !median || median > T ? "late" : "now";

  const like = D.like[rule], shape = doubt === "smoothness" ? "matern32" : "se", row = (place, error) => stops[`${f} ${place} ${shape} 0.1 ${error} ${e}`];
  const spot = row(where, W.doubts[doubt]?.[0]) ? where : "line";
  const wrong = (W.doubts[doubt] ?? []).map((error) => {
    const loss = D.losses[`${measure} ${error}`]?.[like], rows = row(spot, error);
    return [`${W.errors[error]} ${W.shown[loss?.[3]]} ${told(loss)}`, rows && `with ${W.errors[error]}, ${rows.map((r, i) => `${all[i][0]}: ${told(r.slice(1), " %")}, ${n(r[4])} % stop`).join("; ")}`];
  });
  const model = part("doubt", f + doubt in W.doubt ? f + doubt : !wrong.length ? "right" : wrong[0][1] ? "both" : "regret", { spot: W.places[spot], shape: KERNELS[shape], costs: wrong.map((r) => r[0]).join("; "), breaks: wrong.map((r) => r[1]).join("; "),
    stand: D.names[like] });
  const stop = part("stop", how, stopping);
  if (fitted && f !== "none") for (const each of [width, horizon]) each[0] += W.known;
  return { D, W, rows: ranked, near: pay === "best" && !fitted && near, at, parts: { rule: best, width, horizon, stop, doubt: model } };
};
const draw = ({ D, W, rows, near, parts, at }, s, [host]) => {
  if (near) {
    const plays = near.map((_, i) => 10 * i + 10), [mid, low] = [0, 1].map((i) => near.map((v) => v[i])), c = F.chart(host, "plays", [10, 100], W.axis, [0, 100], { height: 240 });
    c.band(plays, mid, mid.map((v, i) => v - low[i]), 1).line(plays, mid).line(plays, D.random[s.noise], "muted", "2 3").text(99, D.random[s.noise][9], W.random, "muted", "end", 16).line([s.T, s.T], [0, 100], "accent", "6 4").show(W.picture);
  } else {
    const c = F.chart(host, W.place, [0.5, rows.length + 0.5], W.regret, [0, 1.1], { height: 240 });
    rows.forEach(([, mean, low, high, best], i) => c.line([i + 1, i + 1], [low, high], best === 0 ? "muted" : "k0").point(i + 1, mean, best === 0 ? "muted" : "k0"));
    c.show(W.ranking);
  }
  const title = (part) => fill(W.titles[part], at), told = Object.entries(parts).map(([part, [answer, why]]) => {
    const to = document.querySelector(`#evidence-${part} a`)?.href, uses = fill(W.depends, { on: W.uses[part].map((name) => W.controls[name]).join(", ") });
    return `<p data-part="${part}"><strong>${title(part)}: ${F.escaped(answer)}.</strong> ${F.escaped(`${why} ${uses}`)}${to ? ` <a href="${to}">${W.link[part]}</a>` : ""}</p>`;
  });
  return {
    says: W.said.map((part) => `${title(part)}: ${parts[part][0]}.`).join(" "), told: told.join(""), live: { rule: parts.rule[0] },
    table: { caption: at.shown, head: W.head, rows: rows.map(([name, mean, low, high, best]) => [D.names[name], mean, low, high, best === 0 ? W.worse : best === 2 ? W.even : ""]) },
  };
};
F.define("decide", { compute, draw, here: "Widths are computed in your browser, all else is looked up in stored tables.", controls: [
  F.steps("noise", "Noise, share of the range of f", [0.03, 0.1, 0.3], 0.1),
  F.steps("batch", "Points a round", [1, 5, 10], 1),
  F.range("T", "Budget of evaluations T", 10, 100, 10, 50),
  F.menu("pay", "I pay for", { every: "every play", best: "the best point", rounds: "rounds of feedback" }),
  F.menu("f", "What f is", { draw: "a draw of the model", norm: "of known norm Ψ", none: "neither is known" }),
  F.steps("psi", "Norm Ψ", [0.5, 1, 2, 3, 5, 10], 3, { when: (s) => s.f === "norm" }),
  F.menu("kernel", "Kernel", KERNELS),
  F.range("dim", "Dimension d", 1, 6, 1, 1),
  F.steps("N", "Candidates N", [50, 100, 400, 1000, 1e4, 1e5], 400, { when: (s) => s.f === "draw" }),
  F.menu("doubt", "I doubt the model’s", { right: "nothing", lengthscale: "length-scale", noise: "noise", smoothness: "smoothness", fitted: "fitted length-scale" }),
  F.steps("delta", "Failure probability δ", [0.01, 0.05, 0.1, 0.2], 0.1, { when: (s) => s.f !== "none" }),
  F.steps("eps", "ε, share of the range of f", [0.01, 0.03, 0.1, 0.3], 0.03),
] });
}
