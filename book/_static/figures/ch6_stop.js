// When to stop: GP-UCB of width 2 on the running function, watched by companion.policies.stopping: band with another width, or Contest.
"use strict";
{
const F = companionFigures, N = 201, NORM = 2, LIMIT = 60, PLAYED = 2, DELTA = 0.1, points = F.grid(N), [x] = points.x, times = F.listed(LIMIT + 1, (t) => t);
// The theorem's is the one-root width with delta = 0.1, which grows with the gain of the points.
const WIDTHS = { usual: 1.96, botorch: Math.sqrt(0.2) }, widthOf = (name, gain) => WIDTHS[name] ?? Math.sqrt(NORM ** 2 + 2 * (gain - Math.log(DELTA)));

// r has the largest lower end; another candidate's largest upper end less that bounds what r loses.
const watched = (mean, sd, w) => {
  const lower = mean.map((m, i) => m - w * sd[i]), r = F.argmax(lower);
  let u = r ? 0 : 1;
  for (let i = 0; i < N; i++) if (i !== r && mean[i] + w * sd[i] > mean[u] + w * sd[u]) u = i;
  return { w, r, u, upper: mean[u] + w * sd[u], lower: lower[r], bound: Math.max(0, mean[u] + w * sd[u] - lower[r]) };
};
// Of the standard normal distribution, to rounding (Marsaglia, 2004).
const density = (z) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
const normal = (z) => {
  if (Math.abs(z) > 8) return z > 0 ? 1 : 0;
  let s = z, last = 0;
  for (let b = z, i = 3; s !== last; i += 2) { last = s; b *= (z * z) / i; s += b; }
  return 0.5 + s * density(z);
};
// r has the largest mean; what it loses exceeds e with a probability of at most the sum over x of Phi(-(gap + e) / sd of f(x) - f(r)).
const likely = (mean, sd, g) => {
  const r = F.argmax(mean), k = g.covariance(r), apart = sd.map((v, i) => Math.sqrt(Math.max(0, v * v + sd[r] ** 2 - 2 * k[i])));
  const z = (i, e) => (mean[i] - mean[r] - e) / apart[i], rivals = F.listed(N, (i) => i).filter((i) => i !== r && apart[i] > 0);
  const odds = (e) => F.sum(rivals, (i) => normal(z(i, e))), slope = (e) => F.sum(rivals, (i) => density(z(i, e)) / apart[i]);
  // The smallest e at which the sum is delta. The sum is convex and falls, so Newton's steps stay below.
  let bound = 0;
  while (odds(bound) - DELTA > 1e-12) bound += (odds(bound) - DELTA) / slope(bound);
  const u = rivals.reduce((best, i) => (z(i, bound) > z(best, bound) ? i : best));
  return { w: PLAYED, r, u, upper: mean[r] + bound, lower: mean[r], bound, odds };
};
const compute = (s) => {
  const k = F.kernel("se", 0.12), f = F.running(points, k, s.seed), best = F.top(f), z = F.generator(s.seed, "noise"), g = F.posterior(points, k, s.noise ** 2), seen = [];
  const all = times.map((t) => {
    const sd = g.sd(), mean = g.mean.slice(), now = s.width === "posterior" ? likely(mean, sd, g) : watched(mean, sd, widthOf(s.width, g.gains.at(-1) ?? 0));
    if (t < LIMIT) {
      const a = F.argmax(mean.map((m, i) => m + PLAYED * sd[i]));
      seen.push([a, f[a] + s.noise * z.normal()]);
      g.observe(...seen[t]);
    }
    return { ...now, mean, sd, loss: best - f[now.r] };
  });
  const at = all.findIndex((each) => each.bound <= s.eps), stop = at < 0 ? Infinity : at;
  return { f, seen, all, stop, lost: all[at]?.loss };
};
const draw = ({ f, seen, all, stop, lost }, { step, eps }, hosts) => {
  const { mean, sd, w, r, u, upper, lower, bound, loss, odds } = all[step], c = F.chart(hosts[0], "x", [0, 1], "f and its band", [-4, 5], { height: 280 });
  c.band(x, mean, sd, w).line(x, f, "ink");
  seen.slice(0, step).forEach(([a, y]) => c.point(x[a], y, "ink", 2.5, "hollow"));
  c.level(upper, odds ? "it may lose this much more" : "largest upper end", "k1").level(lower, "", "k2");
  c.text(1, lower, odds ? "mean of the star" : "lower end of the star", "k2", "end", 14);
  c.point(x[u], upper, "k1", 4).point(x[r], lower, "k2", 4).star(x[r], f[r]).show("The band, two levels, and the recommended point.");
  const d = F.chart(hosts[1], "evaluations", [0, LIMIT], "what it may lose", [0.03, 20], { height: 280, ylog: 1 }), floor = (v) => Math.max(v, 0.03);
  d.line(times, all.map((each) => floor(each.bound))).line(times, all.map((each) => floor(each.loss)), "k2", "2 3");
  d.line([step, step], [0.03, 20], "muted", "2 3").level(eps, "ε", "accent").grip(["eps"], 0.9 * LIMIT, eps, (_, y) => ({ eps: y }));
  if (isFinite(stop)) d.point(stop, floor(all[stop].bound), "accent", 5);
  d.text(LIMIT, 14, "solid: may lose; dotted: loses", "ink", "end").show("What the recommended point may lose, what it loses, and the level ε.");
  const broken = lost > eps, end = isFinite(stop)
    ? `The rule stops after ${F.number(stop)}, with a point that loses ${F.number(lost)}: the promise is ${broken ? "broken" : "kept"}.`
    : `The rule does not stop within ${LIMIT}.`;
  return {
    says: `After ${step} evaluation${step === 1 ? "" : "s"} x = ${F.number(x[r])} is recommended, which may lose ${F.number(bound)} and loses ${F.number(loss)}. ${end}`,
    values: odds ? [["sum of the probabilities of losing more than ε", odds(eps)], ["mean of the star", lower]] : [["width", w], ["largest upper end", upper], ["lower end", lower]],
    live: { stops: isFinite(stop) ? stop : "never", lost: lost ?? "–", bound, loss, factor: w },
  };
};
F.define("stop", {
  pictures: 2, play: ["step", 300], compute, draw, watched,
  count: [
    { words: "it stops with a point that loses more than ε", holds: ({ lost }, { eps }) => lost > eps },
    { words: `it does not stop within ${LIMIT}`, holds: ({ stop }) => stop > LIMIT },
    { words: "Evaluations until it stops, in the median", of: ({ stop }) => stop },
  ],
  controls: [
    F.range("step", "Evaluations shown", 0, LIMIT, 1, 10),
    F.menu("width", "Stops by", { usual: "width 1.96", theorem: "the theorem’s width", botorch: "width 0.447 as in BoTorch", posterior: "posterior, closed form" }),
    F.range("eps", "ε", 0.05, 2, 0.05, 0.2, { grip: true }),
    F.steps("noise", "Noise", [0.05, 0.1, 0.2, 0.3, 0.5], 0.1),
    F.seed(34),
  ],
});
}
