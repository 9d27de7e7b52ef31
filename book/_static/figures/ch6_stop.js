// When to stop: GP-UCB on the running example, or another draw, watched by companion.policies.stopping: band with another width, or Contest.
"use strict";
{
const F = companionFigures, N = 101, LIMIT = 60, DELTA = 0.1, points = F.grid(N), [x] = points.x, times = F.listed(LIMIT + 1, (t) => t);
const K = F.kernel("se", 0.12), drawn = F.gpSampler(points, K);
// companion.problems.running_example, to four digits; the draw of every other seed is this page's own.
const EXAMPLE = Float64Array.of(.1257,.1143,.1084,.1083,.1137,.1242,.1396,.1594,.1829,.2095,.2383,.2684,.2983,.3268,.3519,.3716,.3837,.3857,.3755,.3510,.3104,.2528,.1777,.0856,-.0219,-.1424,-.2727,-.4087,-.5460,-.6798,-.8055,-.9188,-1.0161,-1.0945,-1.1522,-1.1885,-1.2038,-1.1994,-1.1775,-1.1407,-1.0924,-1.0353,-.9725,-.9065,-.8392,-.7717,-.7043,-.6366,-.5674,-.4948,-.4167,-.3307,-.2344,-.1256,-.0027,.1354,.2888,.4568,.6376,.8284,1.0258,1.2249,1.4213,1.6091,1.7831,1.9380,2.0693,2.1729,2.2462,2.2872,2.2956,2.2724,2.2198,2.1408,2.0401,1.9222,1.7925,1.6565,1.5193,1.3859,1.2606,1.1467,1.0468,.9626,.8948,.8431,.8066,.7839,.7725,.7705,.7749,.7837,.7944,.8049,.8139,.8204,.8238,.8240,.8212,.8160,.8091);
// Its noise is that of the lesson's cells, numpy.random.default_rng(0).
const NOISE = Float64Array.of(.1257,-.1321,.6404,.1049,-.5357,.3616,1.3040,.9471,-.7037,-1.2654,-.6233,.0413,-2.3250,-.2188,-1.2459,-.7323,-.5443,-.3163,.4116,1.0425,-.1285,1.3665,-.6652,.3515,.9035,.0940,-.7435,-.9217,-.4577,.2202,-1.0096,-.2092,-.1592,.5408,.2147,.3554,-.6538,-.1296,.7840,1.4934,-1.2591,1.5139,1.3459,.7813,.2645,-.3139,1.4580,1.9603,1.8016,1.3151,.3574,-1.2083,-.0045,.6565,-1.2884,.3951,.4299,.6960,-1.1841,-.6617);
// The theorem's is that of the lesson's table for draws, with delta = 0.1 and this horizon.
const WIDTHS = { usual: 1.96, botorch: Math.sqrt(0.2), theorem: Math.sqrt(2 * Math.log((N * LIMIT) / DELTA)) };

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
  return { r, u, upper: mean[r] + bound, lower: mean[r], bound, odds };
};
const compute = (s) => {
  const f = s.seed ? drawn(F.generator(s.seed, "function")) : EXAMPLE, best = F.top(f), z = F.generator(s.seed, "noise"), noise = (t) => (s.seed ? z.normal() : NOISE[t]);
  const g = F.posterior(points, K, s.noise ** 2), seen = [];
  const all = times.map((t) => {
    const sd = g.sd(), mean = g.mean.slice(), now = s.width === "posterior" ? { w: s.played, ...likely(mean, sd, g) } : watched(mean, sd, WIDTHS[s.width]);
    if (t < LIMIT) {
      const a = F.argmax(mean.map((m, i) => m + s.played * sd[i]));
      seen.push([a, f[a] + s.noise * noise(t)]);
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
  c.level(upper, odds ? "may lose up to here" : "largest upper end", "k1").level(lower, "", "k2");
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
    F.range("step", "Evaluations shown", 0, LIMIT, 1, 7),
    F.menu("width", "Stops by", { posterior: "posterior, closed form", theorem: "the theorem’s width", usual: "width 1.96", botorch: "width 0.447 as in BoTorch" }),
    F.steps("played", "GP-UCB plays width", [0.5, 1, 2, 3, 5], 2),
    F.range("eps", "ε", 0.05, 2, 0.05, 0.1, { grip: true }),
    F.steps("noise", "Noise", [0.05, 0.1, 0.2, 0.3, 0.5], 0.1),
    F.seed(0),
  ],
});
}
