// The delivery round of chapter 5: a run of WDRBO, then exact worst means and penalties, as in companion.papers.wdrbo (Micheli et al., 2026).
"use strict";
{
const F = companionFigures, N = 21, pairs = F.grid(N, 2), kernel = F.kernel("matern52", 0.3), X = F.listed(N, (i) => i / (N - 1));
const NOISE = 0.1, WIDTH = 1.5, RADIUS = 0.12, RADII = F.listed(31, (i) => i / 100), mean = (u, p) => F.sum(u, (v, i) => v * p[i]);
const bell = (at, sd, w = X.map((c) => Math.exp((-0.5 * (c - at) ** 2) / sd ** 2)), all = F.sum(w)) => w.map((v) => v / all);
const forecast = bell(0.5, 0.1), reward = X.map((x) => X.map((c) => 1 - Math.abs(c - 0.5) / (x + 0.2) - Math.sqrt(x + 0.05)));
const steepest = (u) => (u.length - 1) * F.top(u.slice(1).map((v, i) => Math.abs(v - u[i])));
// The law of least mean of u within a radius of p: the linear program first moves what loses most reward by its way.
const worst = (u, p, radius) => {
  const law = [...p], at = [...u.keys()], ends = at.map((j) => [j]);
  const step = (j) => u.reduce((best, v, to) => {
    const way = (Math.abs(to - j) - Math.abs(at[j] - j)) / (u.length - 1), slope = (v - u[at[j]]) / way;
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
// The upper confidence bounds, a list for each slack, after so many rounds of WDRBO under the truth of the chapter.
const run = (seen, noise) => {
  const g = F.posterior(pairs, kernel, NOISE ** 2);
  const upper = (sd = g.sd()) => X.map((_, i) => F.listed(N, (j) => g.mean[N * i + j] + WIDTH * sd[N * i + j]));
  seen.forEach((c, t) => {
    const x = F.argmax(upper().map((u) => mean(u, forecast) - RADIUS * steepest(u)));
    g.observe(N * x + c, reward[x][c] + NOISE * noise[t]);
  });
  return upper();
};
const compute = (s) => {
  const random = F.generator(s.seed, "traffic"), at = bell(0.6, 0.2), q = bell(0.5 + s.shift, s.spread);
  const seen = F.listed(s.seen, () => { let left = random.uniform(), c = 0; while (c < N - 1 && left >= at[c]) left -= at[c++]; return c; });
  const noise = F.generator(s.seed, "noise").normals(s.seen), all = run(seen, noise);
  const plans = [0, Math.round(s.slack * (N - 1))].map((x) => {
    const u = all[x], m = mean(u, forecast), L = steepest(u);
    return { x, u, m, L, paid: m - s.radius * L, truth: mean(reward[x], q), ...worst(u, forecast, s.radius) };
  });
  // Of both plans the first unless the second is worth more; what each way to compare them earns under the truth.
  const takes = (by) => +(plans[1][by] > plans[0][by]), gain = plans[takes("paid")].truth - plans[takes("m")].truth;
  return { seen, noise: [...noise], all, q, plans, paid: takes("paid"), worst: takes("value"), m: takes("m"), gain };
};
const draw = ({ plans, q, paid, worst: by, m, gain }, { radius, shift, slack }, [host, below]) => {
  const [tight, other] = plans, low = Math.min(...tight.u, ...other.u) - 0.7, high = F.top([...tight.u, ...other.u]) + 0.3;
  const c = F.chart(host, "traffic c", [0, 1], "upper confidence bound", [low, high], { height: 280 });
  c.line(X, tight.u).line(X, other.u, "k1", "6 3").text(0, tight.u[0], "no slack", "k0", "start", -6).text(1, other.u.at(-1), `slack ${F.number(slack)}`, "k1", "end", -6);
  forecast.forEach((mass, i) => mass > 1e-4 && tight.ends[i].forEach((j) => c.line([X[i], X[j]], [tight.u[i], tight.u[j]], "muted")));
  [forecast, tight.law].forEach((w, k) => w.forEach((v, i) => v > 1e-4 && c.point(X[i], tight.u[i], ["ink", "accent"][k], 16 * v ** 0.5, "hollow")));
  q.forEach((v, i) => c.point(X[i], low + 0.2, "k2", 12 * v ** 0.5));
  c.text(0.5 + shift, low + 0.2, "truth", "k2", "middle", -12).grip(["shift"], 0.5 + shift, low + 0.2, (x) => ({ shift: x - 0.5 }));
  c.show("Lines lead from the forecast to the worst distribution for the plan without slack.");
  const d = F.chart(below, "radius", [0, 0.3], "mean", [Math.min(...plans.map((p) => p.m - 0.3 * p.L)), F.top(plans.map((p) => p.m)) + 0.1], { height: 280 });
  plans.forEach((p, k) => d.line(RADII, RADII.map((r) => worst(p.u, forecast, r).value), `k${k}`).line([0, 0.3], [p.m, p.m - 0.3 * p.L], `k${k}`, "2 3"));
  d.line([radius, radius], [-99, 99], "muted").grip(["radius"], radius, (tight.value + tight.paid) / 2, (x) => ({ radius: x }));
  d.show("Worst means, solid, and penalised means, dotted, of both plans against the radius.");
  const plan = (k) => (k ? `slack ${F.number(slack)}` : "no slack");
  return { says: `The penalty leads to ${plan(paid)}, the worst mean to ${plan(by)}, the mean to ${plan(m)}.`,
    values: [["No slack: mean", tight.m], ["steepest slope", tight.L], ["worst mean", tight.value], ["penalised", tight.paid], ["Caution gains under the truth", gain]],
    live: { mean: tight.m, worst: tight.value, paid: tight.paid, gain } };
};
const against = (words, sign) => ({ words: `the penalty’s plan earns ${words} under the truth than the mean’s`, holds: ({ gain }) => sign * gain > 1e-9 });
F.define("ball", { compute, draw, worst, pictures: 2, count: [against("less", -1), against("more", 1)], controls: [
  F.range("radius", "Radius", 0, 0.3, 0.01, RADIUS, { grip: true }),
  F.range("shift", "The truth’s mean lies aside by", -0.4, 0.4, 0.02, 0.1, { grip: true }),
  F.range("spread", "The truth’s standard deviation", 0.04, 0.4, 0.02, 0.2),
  F.range("slack", "Slack of the other plan", 0.05, 1, 0.05, 0.4), F.range("seen", "Evaluations", 1, 40, 1, 12), F.seed(2),
] });
}
