// A Wasserstein ball: exact worst mean and penalty, as in companion.papers.wdrbo.method (Micheli et al., 2026).
"use strict";
{
const F = companionFigures, grid = F.grid(201), [X] = grid.x, mean = (u, p) => F.sum(u, (v, i) => v * p[i]);
// The law of least mean of u within a radius of p: the linear program first moves what loses most reward by its way.
const worst = (u, p, radius) => {
  const law = [...p], at = [...X.keys()], ends = at.map((j) => [j]);
  const step = (j) => u.reduce((best, v, to) => {
    const way = (Math.abs(to - j) - Math.abs(at[j] - j)) / 200, slope = (v - u[at[j]]) / way;
    return way > 0 && slope < best.slope ? { slope, j, to, cost: p[j] * way } : best;
  }, { slope: 0 });
  for (let steps = at.map((j) => p[j] && step(j)); ;) {
    const { slope, j, to, cost } = steps.reduce((a, b) => (b.slope < a.slope ? b : a), { slope: 0 }), share = Math.min(1, radius / cost);
    if (!slope || radius < 1e-15) return { law, ends, value: mean(u, law) };
    law[at[j]] -= share * p[j]; law[to] += share * p[j];
    ends[j] = share < 1 ? [at[j], to] : [to];
    at[j] = to; radius -= share * cost; steps[j] = step(j);
  }
};
const compute = (s) => {
  const p = X.map(() => 0), u = F.rkhsDraw(grid, F.kernel("se", s.lengthscale), F.generator(s.seed), 1, 8);
  for (const z of F.generator(s.seed, "told").normals(s.told)) p[Math.round(200 * Math.min(1, Math.max(0, s.middle + z / 4)))] += 1 / s.told;
  // The true law is the told one, moved along; over the seeds, to the side where u has the lower mean.
  const [q, other] = [1, -1].map((side) => {
    const law = p.map(() => 0), on = side * Math.round(200 * s.shift);
    p.forEach((v, i) => { law[Math.max(0, Math.min(200, i + on))] += v; });
    return law;
  });
  const L = 200 * F.top(u.subarray(1).map((v, i) => Math.abs(v - u[i]))), m = mean(u, p);
  return { u, p, m, L, paid: m - s.radius * L, q, truth: mean(u, q), lower: Math.min(mean(u, q), mean(u, other)), ...worst(u, p, s.radius) };
};
// What the penalty's decision earns more than the mean's, where the steep one earns this; who is promised less takes the flat one.
const gained = ({ paid, m }, { flat }, truth) => (paid < flat ? flat : truth) - (m < flat ? flat : truth);
const draw = (r, s, [host]) => {
  const { u, p, q, m, L, paid, value, law, ends, truth } = r, { flat, middle, radius, shift } = s;
  const low = Math.min(-1, flat, paid, ...u) - 0.4, high = F.top([1, flat, ...u]) + 0.4;
  const c = F.chart(host, "context", [0, 1], "reward", [low, high], { height: 340 });
  const near = Math.abs(value - flat) < 0.25, names = [[flat, "flat decision", "k1", "", "end"], [value, near ? "" : "worst mean", "accent", "6 4", "end"], [paid, "penalised", "k0", "2 3", "end"]];
  names.forEach((name) => c.level(...name));
  // Where two levels are near one another, the lower name is below its line.
  if (near) c.text(1, value, "worst mean ", "accent", "end", value < flat ? 14 : -18);
  c.line(X, u);
  p.forEach((mass, i) => mass && ends[i].forEach((j) => c.line([X[i], X[j]], [u[i], u[j]], "muted")));
  [p, law, q].forEach((w, k) => w.forEach((v, i) => v > 0 && c.point(X[i], u[i], ["ink", "accent", "k2"][k], (k > 1 ? 9 : 12) * v ** 0.5, k ? "dot" : "hollow")));
  c.line([middle, middle + radius], [low + 0.2, low + 0.2], "accent").text(middle + radius, low + 0.2, "radius", "accent", "start", -16);
  c.text(middle, low + 0.2, "reference", "ink", "end", -16).text(middle + shift, high - 0.2, "true", "k2", "middle", 28);
  const along = (name, from) => (x) => ({ [name]: x - from });
  c.grip(["middle"], middle, low + 0.2, along("middle", 0)).grip(["radius"], middle + radius, low + 0.2, along("radius", middle));
  c.grip(["shift"], middle + shift, high - 0.2, along("shift", middle)).grip(["flat"], 0.25, flat, (_, y) => ({ flat: y }));
  const takes = (v) => (v < flat ? "flat" : "steep"), gain = gained(r, s, truth);
  c.show("Lines lead from the reference down to the worst distribution.");
  return { says: `The penalty leads to the ${takes(paid)} decision, the worst mean to the ${takes(value)} one, the mean to the ${takes(m)} one.`,
    values: [["mean", m], ["steepest slope", L], ["worst mean", value], ["penalised", paid], ["under the true one", truth], ["caution gains", gain]],
    live: { mean: m, worst: value, paid, truth, gain } };
};
const against = (words, sign) => ({ words: `with the true distribution on the worse side, the penalty’s decision earns ${words} than the mean’s`,
  holds: (r, s) => sign * gained(r, s, r.lower) > 1e-9 });
F.define("ball", { compute, draw, worst, count: [against("less", -1), against("more", 1)], controls: [
  F.range("radius", "Radius", 0, 0.3, 0.01, 0.1, { grip: true }),
  F.range("middle", "Middle of the reference", 0, 1, 0.02, 0.5, { grip: true }),
  F.range("shift", "The true one lies aside by", -0.4, 0.4, 0.02, 0, { grip: true }),
  F.range("flat", "Flat decision", -1, 1, 0.05, 0, { grip: true }),
  F.range("told", "Contexts seen", 1, 32, 1, 8), F.range("lengthscale", "Length-scale", 0.04, 0.4, 0.02, 0.2), F.seed(15),
] });
}
