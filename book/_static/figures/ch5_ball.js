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
  const L = 200 * F.top(u.subarray(1).map((v, i) => Math.abs(v - u[i]))), m = mean(u, p);
  return { u, p, m, L, paid: m - s.radius * L, ...worst(u, p, s.radius) };
};
const draw = ({ u, p, m, L, paid, value, law, ends }, { flat }, [host]) => {
  const c = F.chart(host, "context", [0, 1], "reward", [Math.min(flat, paid, ...u) - 0.1, F.top([flat, ...u]) + 0.1]);
  c.level(flat, "flat decision", "k1", "").level(value, "worst mean", "accent", "6 4", "middle").level(paid, "penalised", "k0", "2 3", "end").line(X, u);
  p.forEach((mass, i) => mass && ends[i].forEach((j) => c.line([X[i], X[j]], [u[i], u[j]], "muted")));
  [p, law].forEach((q, k) => q.forEach((v, i) => v > 0 && c.point(X[i], u[i], ...(k ? ["accent", 12 * v ** 0.5] : ["ink", 12 * v ** 0.5, "hollow"]))));
  const takes = (v) => (v < flat ? "flat" : "steep");
  c.show("Lines lead from told contexts down to the worst law.");
  return { says: `The penalty leads to the ${takes(paid)} decision, the worst mean to the ${takes(value)} one.`,
    values: [["mean", m], ["steepest slope", L], ["worst mean", value], ["penalised", paid]] };
};
F.define("ball", { compute, draw, worst, controls: [
  F.range("radius", "Radius", 0, 0.3, 0.01, 0.1), F.range("middle", "Middle of what was told", 0, 1, 0.02, 0.5), F.range("told", "Contexts told", 1, 32, 1, 8),
  F.range("lengthscale", "Length-scale", 0.04, 0.4, 0.02, 0.1), F.range("flat", "Flat decision", -1, 1, 0.05, 0), F.seed(88),
] });
}
