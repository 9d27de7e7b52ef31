// Batched pure exploration, batch by batch: Algorithm 2 of Ma, Chen and Scarlett (2026), as companion.papers.batched.method has it.
(() => {
"use strict";
const F = window.companionFigures, SIZE = 200, NORM = 1, DELTA = 0.1;

// Equations (6) and (5), cut off where the horizon is used up. A power less 1e-9, so that rounding makes no integer a larger one.
const sizes = ({ rule, a, horizon }) => {
  const all = [];
  for (let rest = horizon, size = 1; rest > 0; rest -= size) {
    const wanted = rule === "power" ? horizon ** (1 - a ** (all.length + 1)) - 1e-9 : Math.sqrt(horizon * size);
    all.push(size = Math.min(Math.ceil(wanted), rest));
  }
  return all;
};
// values: f at all points; noise: of all evaluations in their order. One record a batch.
const bpe = (points, kernel, noiseVariance, plan, width, values, noise) => {
  let active = Array.from(values, (_, i) => i), done = 0;
  return plan.map((size) => {
    const knows = F.posterior(F.subset(points, active), kernel, noiseVariance); // nothing of earlier batches
    const query = knows.maxVariance(size).map((i) => active[i]), observed = query.map((i) => values[i] + noise[done++]);
    knows.tell(observed);
    const { mean, gain } = knows, sd = knows.sd(), bar = Math.max(...mean.map((m, i) => m - width * sd[i]));
    const survivors = active.filter((_, i) => mean[i] + width * sd[i] >= bar), record = { query, observed, active, mean, sd, bar, survivors, gain };
    active = survivors;
    return record;
  });
};
// Proposition 2: what each batch may cost while f lies in the band.
const allowed = (plan, gains, width, noise) => plan.map((n, i) =>
  n * width * (i ? 4 * Math.sqrt((2 * gains[i - 1]) / Math.log1p(noise ** -2) / plan[i - 1]) : 2));

const compute = (s) => {
  const points = F.grid(SIZE), kernel = F.kernel(s.kernel, s.lengthscale), plan = sizes(s);
  let values = F.rkhsDraw(points, kernel, F.generator(s.seed, "function"), NORM, 6);
  if (Math.max(...values) < -Math.min(...values)) values = values.map((v) => -v); // a hill, not a hole
  const width = s.from === "fixed" ? s.width : NORM + Math.sqrt(2 * Math.log((SIZE * plan.length) / DELTA));
  const noise = F.generator(s.seed, "noise").normals(s.horizon).map((z) => s.noise * z), best = F.argmax(values);
  const history = bpe(points, kernel, s.noise ** 2, plan, width, values, noise), bounds = allowed(plan, history.map((r) => r.gain), width, s.noise);
  history.forEach((r, i) => Object.assign(r, {
    bound: bounds[i],
    regret: r.query.reduce((sum, q) => sum + values[best] - values[q], 0),
    kept: r.survivors.includes(best),
    valid: r.active.every((x, j) => Math.abs(values[x] - r.mean[j]) <= width * r.sd[j]),
  }));
  return { x: points.x[0], values, width, history, best };
};

const draw = ({ x, values, width, history, best }, s, [host]) => {
  const r = history[s.batch - 1], low = Math.min(...values), high = Math.max(...values), reach = high - low, half = 0.5 / (SIZE - 1);
  const ends = [-width, width].map((w) => {
    const all = new Float64Array(SIZE).fill(NaN);
    r.active.forEach((i, j) => { all[i] = r.mean[j] + w * r.sd[j]; });
    return all;
  });
  const c = F.chart(host, { x: [0, 1], y: [low - 0.6 * reach, high + 0.5 * reach], xlabel: "x", ylabel: "f and its band", height: 330 });
  const state = new Uint8Array(SIZE); // 0 eliminated before, 1 now, 2 alive
  r.active.forEach((i) => { state[i] = 1; });
  r.survivors.forEach((i) => { state[i] = 2; });
  for (let i = 0, j; i < SIZE; i = j) {
    for (j = i + 1; state[j] === state[i]; j++);
    const [a, b] = [x[i] - half, x[j - 1] + half];
    if (state[i] === 2) c.span(a, b, "k2 solid", 0, 0.04);
    else c.span(a, b, state[i] ? "muted" : "muted dark");
  }
  history.slice(0, s.batch - 1).forEach((old) => c.points(old.query.map((i) => x[i]), old.observed, "muted", { hollow: true, r: 2.5 }));
  c.band(x, ...ends).line(x, values, "ink").level(r.bar).points(r.query.map((i) => x[i]), r.observed)
    .star(x[best], values[best]).text(0.01, r.bar, "best lower bound", "accent", "start", -5);
  const short = (v) => F.number(v, 3), sum = (name) => short(history.reduce((all, b) => all + b[name], 0));
  const told = `Batch ${s.batch} of ${history.length}, width ${short(width)}: ${r.survivors.length} of ${SIZE} candidates are alive, the maximiser ${r.kept ? "among them" : "is not"}.`;
  c.show(`${told} The band comes from the ${r.query.length} points of this batch, spread over the ${r.active.length} candidates alive before it.`);
  const rows = history.map((b, i) => [i + 1, b.query.length, b.survivors.length, b.kept ? "yes" : "no", b.valid ? "yes" : "no", short(b.regret), short(b.bound)]);
  return {
    says: `${told} ${r.valid ? `Its regret is ${short(r.regret)}. Proposition 2 allows ${short(r.bound)}; no method can lose more than ${short(2 * NORM * r.query.length)}.`
      : "The band misses f somewhere, so Proposition 2 promises nothing."}`,
    table: {
      caption: "All batches,", head: ["batch", "points", "alive", "maximiser alive?", "f in the band?", "regret", "Proposition 2"],
      rows: [...rows, ["all", s.horizon, "", "", "", sum("regret"), sum("bound")]],
    },
  };
};

F.define("batches", {
  title: "batched pure exploration",
  controls: [
    { name: "batch", label: "Batch shown", min: 1, max: (s) => sizes(s).length, step: 1, value: 1 },
    { name: "rule", label: "Batch sizes", options: { power: "rule (6), with a", original: "rule (5)" }, value: "power" },
    { name: "a", label: "a", min: 0.2, max: 0.8, step: 0.05, value: 0.4, when: (s) => s.rule === "power" },
    { name: "horizon", label: "Evaluations T", min: 20, max: 500, step: 10, value: 100 },
    { name: "from", label: "Width", options: { fixed: "as set here", theory: "the theory’s" }, value: "fixed" },
    { name: "width", label: "Standard deviations", min: 0.2, max: 6, step: 0.1, value: 2, when: (s) => s.from === "fixed" },
    { name: "noise", label: "Noise", min: 0.02, max: 0.5, step: 0.02, value: 0.1 },
    { name: "kernel", label: "Kernel", options: F.KERNELS, value: "matern52" },
    { name: "lengthscale", label: "Length-scale", min: 0.04, max: 0.4, step: 0.02, value: 0.1 },
    { name: "seed", label: "Seed of function and noise", min: 0, max: 99, step: 1, value: 36 },
    { button: "Another function", set: (s) => ({ seed: (s.seed + 1) % 100 }) },
  ],
  compute, draw, sizes, bpe, allowed,
});
})();
