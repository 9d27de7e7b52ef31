// Algorithm 1 on the paper's example function, by the rules of companion.papers.compressed.method.
"use strict";
{
const F = companionFigures, N = 200, LAST = 300, points = F.grid(N, 1, -10, 10), [x] = points.x, f = x.map((v) => Math.sin(v) + Math.cos(v) + v / 10);
const { log, exp, sqrt, PI } = Math, { top } = F;

// log (z Phi(z) + phi(z)): a series around 0, a continued fraction below.
const improvement = (z) => {
  if (z > 2.5) return log(z + exp(improvement(-z)));
  const density = -0.5 * (z * z + log(2 * PI));
  let sum = 1, term = 1, c = 0;
  if (z < -2.5) for (let n = Math.ceil(8 - 130 / z); n; n--) c = n / (c - z);
  else for (let n = 1; term > 1e-17; n += 2) sum += term *= z * z / n;
  return c ? density + log(c / (c - z)) : log(z / 2 + exp(density) * sum);
};
// z: noise of the initial points, then of every round.
const run = ({ rule, rounds, noise }, initial, z, threshold) => {
  const g = F.posterior(points, F.kernel("se", 1), noise), ucb = rule === "ucb", plays = [], orders = [];
  let best = -Infinity, first = 0, now;
  const keep = (a, i, y = f[a] + sqrt(noise) * z[i]) => { g.observe(a, y); best = Math.max(best, y); };
  initial.forEach((a, i) => keep(a, i));
  for (let t = 1; t <= rounds; t++) {
    // Under EI and MPI a rejection changes nothing, so the choice stays.
    if (ucb || !first) {
      // delta = 0.1
      const mean = g.mean.slice(), sd = g.sd(), over = rule === "ei" ? best : top(mean), width = sqrt(2 * log((N * t * t * PI * PI) / 0.6));
      const score = mean.map((m, i) => (ucb ? m + width * sd[i] : log(sd[i]) + improvement((m - over) / sd[i])));
      const pick = ucb ? F.argmax(score) : score.indexOf(top(score)), kept = g.variance[pick] > threshold;
      now = { mean, sd, pick, kept };
      if (kept) keep(pick, t + 1); else first ||= t;
    }
    plays.push(now.pick);
    orders.push(g.picks.length);
  }
  return { ...now, plays, orders, first, picks: g.picks, threshold, regret: F.sum(plays, (p) => top(f) - f[p]) / rounds };
};
const compute = (s) => {
  const z = F.generator(s.seed), seen = [z.choose(N, 2), z.normals(LAST + 2)];
  // Whose threshold is negative keeps every point.
  return { ...run(s, ...seen, s.noise * Math.expm1(2 * s.budget)), dense: run(s, ...seen, -1).regret };
};
const draw = ({ mean, sd, pick, kept, plays, orders, first, picks, threshold, regret, dense }, { rounds, rule }, hosts) => {
  const copies = x.map((_, i) => picks.filter((p) => p === i).length), bar = Math.log10(threshold), spread = sd.map((v) => 2 * Math.log10(v)), hue = kept ? "k2" : "k1";
  const chart = (i, ylabel, y, xlabel = "x", range = [-10, 10]) => F.chart(hosts[i], xlabel, range, ylabel, y, { height: 150 });
  const c = chart(0, "f", [-4, 4]), d = chart(1, "log₁₀ variance", [bar - 1, 0.3]), e = chart(2, "points kept", [0, LAST], "round", [0, LAST]);
  c.band(x, mean, sd, 2, "muted").line(x, f, "ink");
  copies.forEach((n, i) => n && c.point(x[i], f[i]).span(x[i] - 0.05, x[i] + 0.05, "k0 solid", 0, (0.25 * n) / top(copies)));
  c.star(x[pick], f[pick], hue).show("The points kept.");
  d.line(x, spread, "ink").level(bar, "threshold").star(x[pick], spread[pick], hue);
  d.show(`Variance over x, ${F.number(sd[pick] ** 2)} at the choice; threshold ${F.number(threshold)}.`);
  e.line([0, LAST], [2, LAST + 2], "muted", "4 3").text(150, 170, "dense", "muted", "end").line(plays.map((_, t) => t + 1), orders);
  const order = picks.length, frozen = first && rule !== "ucb" && e.span(first, rounds, "k1").text(first, order + 40, "frozen", "k1");
  e.show("Points kept.");
  return {
    says: `Round ${rounds}: x = ${F.number(x[pick])} is ${kept ? "kept" : "rejected"}${frozen ? `: the run is frozen since round ${first}` : ""}.`,
    values: [["Points kept", `${order} of ${rounds + 2}`], ["Average regret", regret], ["If all are kept", dense]],
  };
};
F.define("compression", { pictures: 3, controls: [
  F.menu("rule", "Acquisition", { ucb: "UCB", ei: "EI", mpi: "MPI" }),
  F.steps("budget", "Budget ε, nats", [1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1], 1),
  F.range("rounds", "Rounds", 1, LAST, 1, LAST),
  F.steps("noise", "Noise variance", [1e-4, 0.001, 0.01, 0.1], 0.1),
  // Of the seeds 1 to 30, that with the median regret at these settings.
  F.seed(11),
], compute, draw, run, improvement });
}
