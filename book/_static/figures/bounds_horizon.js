// The bounds of companion.across.horizons, [printed, best form], with the certified gains and trivial lines of its record.
"use strict";
{
const F = companionFigures, { sqrt, log, log1p, min, PI } = Math, BASEL = PI ** 2 / 6, TEN = log(10), COST = "what one evaluation can cost";
// delta is 0.1. N candidates, noise variance v, c = 2 / log(1 + 1 / v); g(n): upper end of the gain of n points
const BOUNDS = {
  tsrsr({ T, N, m, v, c, g }) {
    const n = Math.ceil(T / m) * m, root = sqrt(n * c * g(n));
    return [2 * sqrt(2 * log(4 * N * n ** 3) * (1 + m / v)) * root + sqrt(24 * n * log(N)), sqrt(2 * log1p(N * n) * (1 + (m - 1) / v)) * root];
  },
  gpucb({ T, N, c, g }) {
    const b = sqrt(8 * c * (log(N * BASEL * T * T) + TEN) * T * g(T));
    return [b, b];
  },
  compressed({ T, N, c, g }) {
    const k = 8 * c * (log(N * BASEL * T * T) + TEN), u = T * log1p(T ** -0.5);
    return [sqrt(k * T) * (sqrt(g(T)) + sqrt(u)), sqrt(k * T * (g(T) + u / 2))];
  },
  batched({ T, N, c, g }) {
    const sizes = [];
    for (let rest = T, p = 0.6; rest > 0; rest -= sizes.at(-1), p *= 0.6) sizes.push(min(rest, Math.ceil(T ** (1 - p) - 1e-9)));
    const w = 1 + sqrt(2 * (log(N * sizes.length) + TEN));
    return T < 3 ? [NaN, NaN] : [(w * sqrt(T) * Math.max(4, 8 * sqrt(c * g(T)))) / (1 - 2 ** -0.04),
      F.sum(sizes, (n, i) => w * n * (i ? 4 * sqrt((c * g(sizes[i - 1])) / sizes[i - 1]) : 2))];
  },
  meanfield({ T, i, c, g, game: { actions: n, a, b, rounding } }) {
    const s = log(a * n), half = sqrt(PI) / 2, G = b * (s + half), root = sqrt(T * c * g(T));
    const beta = (cuts) => 2 * (log(n) + n * log(cuts) + 2 * log(T)) - log(2 * PI);
    return [BASEL * (2 + n * sqrt(2 * n) * min(1 / G, n)) + beta(n * T * T * G) * root,
      rounding[i] + BASEL + sqrt(beta(Math.ceil(n * T * T * sqrt(b) * (sqrt(s) + half)))) * root];
  },
  // lambda is the noise variance; the printed form is proved where it is not too small
  wdrbo({ T, v, c, g, z }) {
    const d = 2 * g(T), k = 2 * sqrt(T) * (1 + sqrt(d + 2 * TEN));
    return [c > 4 * v ? NaN : 2 * k * sqrt(v * (d + 4 * log(60))), k * sqrt(c * d + z * TEN)];
  },
};
const compute = (s, { data: { horizons: H, candidates, games, gains, lines, logarithm: z } }) => {
  const p = s.paper, N = candidates[s.dim], game = games[s.dim], v = s.noise ** 2, c = 2 / log1p(1 / v);
  const kernel = p === "meanfield" ? "game" : s.kernel, model = { meanfield: "game", batched: "norm", wdrbo: "norm" }[p] ?? "prior";
  const curve = gains[`${kernel} ${s.dim} ${s.noise}`], g = (n) => curve[H.findIndex((h) => h >= n)];
  const all = H.map((T, i) => BOUNDS[p]({ T, i, N, m: s.m, v, c, g, game, z }).map((b) => b / T)), forms = [0, 1].map((k) => all.map((b) => b[k]));
  const trivial = lines[`${kernel} ${s.dim} ${model}`];
  return { H, forms, trivial, gain: curve.at(-1), from: forms.map((f) => H[f.findLastIndex((b) => !(b < trivial)) + 1]) };
};
const draw = ({ H, forms, trivial, gain, from }, s, [host]) => {
  const c = F.chart(host, "evaluations T", [1, 1e6], "bound / T", [0.1, 1e5], { xlog: 1, ylog: 1 });
  c.level(trivial, COST);
  const told = forms.map((f, k) => {
    c.line(H, f, `k${k}`, k ? "" : "6 4");
    if (from[k]) c.point(from[k], trivial, `k${k}`, 5);
    return from[k] ? `says something from about T = ${F.number(from[k], 2)} on`
      : f.at(-1) ? "says nothing up to T = a million" : "is not proved at so little noise";
  });
  c.text(9e5, 4e4, "dashed: printed; solid: sharper or repaired", "ink", "end");
  c.show("Two falling curves and a level line.");
  const mean = s.paper === "meanfield";
  return { says: `The printed bound ${told[0]}. The sharper or repaired one ${told[1]}.${mean ? ` With ${s.m} agents or any other number.` : ""}`, values: [
    [COST, trivial, mean], ["information gain of a million evaluations, at most", gain, true]] };
};
F.define("horizon", { compute, draw, controls: [
  F.menu("paper", "Theorem", { tsrsr: "TS-RSR, Theorem 1", gpucb: "GP-UCB, Srinivas et al.", compressed: "Compressed UCB, Theorem 3.2", batched: "BPE, Theorem 1",
    meanfield: "MF-GP-UCB, Theorem 4.1", wdrbo: "WDRBO, Theorem 5" }),
  F.menu("kernel", "Kernel", F.KERNELS, { when: (s) => s.paper !== "meanfield" }),
  F.range("dim", "Dimension", 1, 3, 1, 1),
  F.steps("noise", "Noise", [0.01, 0.03, 0.1, 0.3, 1], 0.3),
  F.steps("m", "Batch size, or agents", [1, 2, 5, 10, 20, 50], 1, { when: (s) => /tsrsr|meanfield/.test(s.paper) }),
] });
}
