// The bounds of companion.papers.across.theory.informative_horizons, [printed, best form] (of TS-RSR: theorem, sharper form), with the certified gains and trivial bounds of its record.
"use strict";
{
const F = companionFigures, { sqrt, log, log1p, min, PI } = Math, BASEL = PI ** 2 / 6, TEN = log(10), TIMES = [10, 100, 1000, 1e4, 1e5, 1e6], COST = "trivial bound / T", BLIND = "random choice / T";
const THEOREM = { explicit: "as printed", order: "with its proof’s constants" };
const ucb = ({ T, N, c }) => 8 * c * (log(N * BASEL * T * T) + TEN);
// delta is 0.1. N candidates, noise variance v, c = 2 / log(1 + 1 / v); g(n): upper end of the gain of n points
const BOUNDS = {
  tsrsr({ T, N, m, v, c, g }) {
    const n = Math.ceil(T / m) * m, root = sqrt(n * c * g(n));
    return [2 * sqrt(2 * log(4 * N * n ** 3) * (1 + m / v)) * root + sqrt(24 * n * log(N)), sqrt((2 + 2 * log(N / 2)) * (1 + (m - 1) / (2 * v))) * root];
  },
  gpucb: (s) => Array(2).fill(sqrt(ucb(s) * s.T * s.g(s.T))),
  compressed(s) {
    const k = ucb(s) * s.T, G = s.g(s.T), u = s.T * log1p(s.T ** -0.5);
    return [sqrt(k) * (sqrt(G) + sqrt(u)), sqrt(k * (G + u / 2))];
  },
  batched({ T, N, c, g }) {
    const sizes = [];
    for (let rest = T, p = 0.6; rest > 0; rest -= sizes.at(-1), p *= 0.6) sizes.push(min(rest, Math.ceil(T ** (1 - p) - 1e-9)));
    const w = 1 + sqrt(2 * (log(N * sizes.length) + TEN));
    return T < 3 ? [NaN, NaN] : [(w * sqrt(T) * Math.max(4, 8 * sqrt(c * g(T)))) / (1 - 2 ** -0.04),
      F.sum(sizes, (n, i) => w * n * (i ? 4 * sqrt((c * g(sizes[i - 1])) / sizes[i - 1]) : 2))];
  },
  meanfield({ T, k, c, g, game: { actions: n, a, b, rounding } }) {
    const s = log(a * n), half = sqrt(PI) / 2, G = b * (s + half), root = sqrt(T * c * g(T));
    const beta = (cuts) => 2 * (log(n) + n * log(cuts) + 2 * log(T)) - log(2 * PI);
    return [BASEL * (2 + n * sqrt(2 * n) * min(1 / G, n)) + beta(n * T * T * G) * root,
      rounding[k] + BASEL + sqrt(beta(Math.ceil(n * T * T * sqrt(b) * (sqrt(s) + half)))) * root];
  },
  // lambda is the noise variance; the printed form is proved where it is not too small
  wdrbo({ T, v, c, g, z }) {
    const d = 2 * g(T), k = 2 * sqrt(T) * (1 + sqrt(d + 2 * TEN));
    return [c > 4 * v ? NaN : 2 * k * sqrt(v * (d + 4 * log(60))), k * sqrt(c * d + z * TEN)];
  },
};
// As companion.information.between: the next upper end, the last in proportion, and from since on the chord over log n.
const between = (H, curve, since) => (n) => {
  const k = H.findIndex((h) => h >= n), low = H[k - 1];
  if (!k || H[k] === n) return curve[k];
  const chord = curve[k - 1] + (log(n / low) / log(H[k] / low)) * (curve[k] - curve[k - 1]);
  return min(curve[k], (curve[k - 1] * n) / low, low < since ? Infinity : 1.0001 * chord);
};
// As companion.bounds.trivial.horizon: from which T on a bound stays below a line, in ever finer steps.
const first = (bound, line, tried) => {
  for (;;) {
    const k = tried.findLastIndex((t) => !(bound(t) / t < line)) + 1, low = tried[Math.max(k - 1, 0)], high = tried[k];
    if (high === undefined || high - low <= 1) return high;
    tried = [...new Set(Array.from({ length: 9 }, (_, i) => Math.round(low * (high / low) ** (i / 8))))];
  }
};
const compute = ({ paper, kernel, dim, noise, m, T: at }, { data: { horizons: H, candidates, games, gains, since, lines, blind, constants, logarithm: z } }) => {
  const N = candidates[dim], game = games[dim], v = noise ** 2, c = 2 / log1p(1 / v), model = { meanfield: "game", batched: "norm", wdrbo: "norm" }[paper] ?? "prior";
  const place = `${model === "game" ? model : kernel} ${dim} `, curve = gains[place + noise], g = between(H, curve, since[place + noise]);
  const bounds = (T) => BOUNDS[paper]({ T, k: H.findIndex((h) => h >= T), N, m, v, c, g, game, z });
  const forms = [0, 1].map((form) => H.map((T) => bounds(T)[form] / T)), trivial = lines[place + model], blindly = blind[place + model];
  return { H, forms, trivial, blindly, whose: constants[Object.keys(BOUNDS).indexOf(paper)], at: forms.map((f) => f[H.indexOf(at)] / trivial), gain: curve.at(-1), from: [0, 1].map((form) => first((T) => bounds(T)[form], trivial, H)) };
};
const draw = ({ H, forms, trivial, blindly, whose, at, gain, from }, s, [host]) => {
  const c = F.chart(host, "evaluations", [1, 1e6], "bound / T", [0.1, 1e5], { xlog: 1, ylog: 1 });
  c.level(trivial, COST).level(blindly, BLIND, "muted");
  const [first, second] = whose, { m } = s;
  const batches = (t) => (s.paper === "tsrsr" && m > 1 ? ` (${F.number(Math.ceil(t / m), 2)} batches)` : "");
  const told = forms.map((f, k) => {
    c.line(H, f, `k${k}`, k ? "" : "6 4");
    if (from[k]) c.point(from[k], trivial, `k${k}`, 5);
    return from[k] ? `is informative from ${F.number(from[k], 2)} evaluations${batches(from[k])} on`
      : f.at(-1) ? "is not informative up to a million" : "is not proved here";
  });
  const nearest = (x) => ({ T: TIMES.reduce((a, b) => (Math.abs(log(b / x)) < Math.abs(log(a / x)) ? b : a)) });
  c.line([s.T, s.T], [0.1, 1e5], "muted", "2 3").grip(["T"], s.T, 0.3, nearest).text(9e5, 4e4, `dashed: ${first}; solid: ${second}`, "ink", "end");
  c.show("Two falling curves, a level line.");
  const [printed, sharper] = at.map((v) => v || "–");
  return { says: `The theorem ${THEOREM[first]} ${told[0]}. Its best form, ${second}, ${told[1]}.`, live: { printed, sharper, trivial }, values: [
    [`the theorem (${first}), in trivial bounds`, printed], [`the best form (${second}), the same`, sharper],
    [COST, trivial, s.paper === "meanfield"], [BLIND, blindly, true], ["gain after a million, at most", gain, true]] };
};
F.define("horizon", { compute, draw, controls: [
  F.menu("paper", "Bound of", { tsrsr: "TS-RSR", gpucb: "GP-UCB", compressed: "compressed UCB", batched: "BPE", meanfield: "MF-GP-UCB", wdrbo: "WDRBO" }),
  F.menu("kernel", "Kernel", F.KERNELS, { when: (s) => s.paper !== "meanfield" }),
  F.range("dim", "Dimension", 1, 3, 1, 1),
  F.steps("noise", "Noise", [0.01, 0.03, 0.1, 0.3, 1], 0.3),
  F.steps("T", "Evaluations", TIMES, 1000, { grip: true }),
  F.steps("m", "Batch size or agents", [1, 2, 5, 10, 20, 50], 1, { when: (s) => /tsrsr|meanfield/.test(s.paper) }),
] });
}
