// Algorithm 1 on the lesson's example and on draws of its prior, by the rules of companion.papers.compressed.method.
"use strict";
{
const F = companionFigures, N = 101, LAST = 300, points = F.grid(N), [x] = points.x, kernel = F.kernel("se", 0.12);
const BUDGETS = [1e-4, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1];
// Constant widths of UCB, beside the theorem's; with one of them a rejection changes nothing.
const WIDTHS = { three: 3, two: 2, one: 1 }, still = (s) => s.rule !== "ucb" || s.width in WIDTHS;
const { log, exp, sqrt, PI } = Math, { top } = F, draws = F.gpSampler(points, kernel);
// Every fifth value of companion.problems.running_example; what is between them is known to a thousandth.
const EXAMPLE = [
  0.126, 0.124, 0.238, 0.372, 0.31, -0.142, -0.806, -1.188, -1.092, -0.772, -0.417, 0.135, 1.026, 1.938, 2.296, 1.922, 1.261,
  0.843, 0.775, 0.82, 0.809,
];
const values = (seed) => {
  if (seed) return draws(F.generator(seed, "function"));
  const g = F.posterior(points, kernel, 1e-6);
  EXAMPLE.forEach((y, i) => g.observe(5 * i, y));
  return g.mean.slice();
};

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
const run = ({ rule, rounds, noise, width: fixed }, f, initial, z, threshold) => {
  const g = F.posterior(points, kernel, noise), ucb = rule === "ucb", plays = [], orders = [];
  let best = -Infinity, first = 0, now;
  const keep = (a, i, y = f[a] + sqrt(noise) * z[i]) => { g.observe(a, y); best = Math.max(best, y); };
  initial.forEach((a, i) => keep(a, i));
  for (let t = 1; t <= rounds; t++) {
    // Where a rejection changes nothing the choice stays.
    if (!first || !still({ rule, width: fixed })) {
      // delta = 0.1
      const mean = g.mean.slice(), sd = g.sd(), over = rule === "ei" ? best : top(mean), width = WIDTHS[fixed] ?? sqrt(2 * log((N * t * t * PI * PI) / 0.6));
      const score = mean.map((m, i) => (ucb ? m + width * sd[i] : log(sd[i]) + improvement((m - over) / sd[i])));
      const pick = ucb ? F.argmax(score) : score.indexOf(top(score)), kept = g.variance[pick] > threshold;
      now = { mean, sd, pick, kept };
      if (kept) keep(pick, t + 1); else first ||= t;
    }
    plays.push(now.pick);
    orders.push(g.picks.length);
  }
  return { ...now, f, plays, orders, first, picks: g.picks, loss: top(f) - f[now.pick], regret: F.sum(plays, (p) => top(f) - f[p]) / rounds };
};
const compute = (s) => {
  const z = F.generator(s.seed), seen = [values(s.seed), z.choose(N, 2), z.normals(LAST + 2)];
  // Whose threshold is negative keeps every point.
  return { ...run(s, ...seen, s.noise * Math.expm1(2 * s.budget)), dense: run(s, ...seen, -1).regret };
};
const draw = ({ f, mean, sd, pick, kept, plays, orders, first, picks, loss, regret, dense }, s, hosts) => {
  const { rounds, noise, budget } = s;
  const copies = x.map((_, i) => picks.filter((p) => p === i).length), gain = sd.map((v) => Math.log1p((v * v) / noise) / 2), hue = kept ? "k2" : "k1";
  const chart = (i, ylabel, y, more, xlabel = "x", range = [0, 1]) => F.chart(hosts[i], xlabel, range, ylabel, y, { height: 170, ...more });
  const c = chart(0, "f", [-3.2, 3.2]), d = chart(1, "nats to gain", [5e-5, 8], { ylog: 1 }), e = chart(2, "points kept", [0, LAST], {}, "round", [0, LAST]);
  c.band(x, mean, sd, 2, "muted").line(x, f, "ink");
  copies.forEach((n, i) => n && c.point(x[i], f[i]).span(x[i] - 0.005, x[i] + 0.005, "k0 solid", 0, (0.25 * n) / top(copies)));
  c.star(x[pick], f[pick], hue).show("The points kept.");
  // The budget nearest to a height, by ratio.
  const nearest = (_, y) => ({ budget: BUDGETS.reduce((a, b) => (Math.abs(log(b / y)) < Math.abs(log(a / y)) ? b : a)) });
  d.line(x, gain, "ink").level(budget, "budget").star(x[pick], gain[pick], hue).grip(["budget"], 0.94, budget, nearest);
  d.show(`Information over x, ${F.number(gain[pick])} nats at the choice; budget ${F.number(budget)}.`);
  e.line([0, LAST], [2, LAST + 2], "muted", "4 3").text(150, 170, "all kept", "muted", "end").line(plays.map((_, t) => t + 1), orders);
  const order = picks.length, frozen = first && still(s) && e.span(first, rounds, "k1").text(first, order + 40, "frozen", "k1");
  e.show("Points kept.");
  return {
    says: `Round ${rounds}: x = ${F.number(x[pick])} is ${kept ? "kept" : "rejected"}${frozen
      ? `: frozen since round ${first} at a point that loses ${F.number(loss)} a round` : ""}.`,
    values: [["Points kept, two of them from the start", `${order} of ${rounds + 2}`], ["Average regret", regret], ["If all are kept", dense]],
    live: { kept: order, regret, all: dense, loss, first },
  };
};
F.define("compression", { pictures: 3, play: ["rounds", 150, 5], count: [
  { words: "the last third of the rounds all play one point, and it loses more than 0.1 a round", holds: (r) => r.loss > 0.1 && new Set(r.plays.slice(-Math.ceil(r.plays.length / 3))).size === 1 },
  { words: "the choice still changes after the first rejection", holds: (r) => r.first && new Set(r.plays.slice(r.first)).size > 1 },
  { words: "its average regret is smaller than if all points are kept", holds: (r) => r.regret < r.dense - 1e-9 },
], controls: [
  F.menu("rule", "Acquisition", { ucb: "UCB", ei: "EI", mpi: "MPI" }),
  F.menu("width", "Width", { theory: "the theorem’s", three: "3", two: "2", one: "1" }, { when: (s) => s.rule === "ucb" }),
  F.steps("budget", "Budget ε, nats", BUDGETS, 0.03, { grip: true }),
  F.range("rounds", "Rounds", 1, LAST, 1, LAST),
  F.steps("noise", "Noise variance", [1e-4, 0.001, 0.01, 0.1, 0.3, 1, 3], 0.1),
  F.seed(0),
], compute, draw, run, improvement, values });
}
