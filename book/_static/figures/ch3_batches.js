// Batched pure exploration, batch by batch: Algorithm 2 of Ma, Chen and Scarlett (2026), as companion.papers.batched.method has it.
"use strict";
{
const F = companionFigures, SIZE = 101, DELTA = 0.1;
// The lesson's function: indices of kernel functions and their weights, as companion.papers.batched.problems.wheat has them.
const SUMMANDS = [[25, 2], [50, -1], [75, 2.1]];

// The paper's sizes and the original ones, its equations (6) and (5), cut off where the horizon is used up. A power less 1e-9, so that rounding makes no integer a larger one.
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
  let active = [...values.keys()], done = 0;
  return plan.map((size) => {
    // It knows nothing of earlier batches.
    const knows = F.posterior(F.subset(points, active), kernel, noiseVariance);
    const query = knows.maxVariance(size).map((i) => active[i]), observed = query.map((i) => values[i] + noise[done++]);
    knows.tell(observed);
    const { mean } = knows, sd = knows.sd(), bar = F.top(mean.map((m, i) => m - width * sd[i]));
    const survivors = active.filter((_, i) => mean[i] + width * sd[i] >= bar), record = { query, observed, active, mean, sd, bar, survivors, gain: knows.gains.at(-1) };
    active = survivors;
    return record;
  });
};
// B-UCB keeps all values: companion.policies.ucb.BatchUCB. It eliminates nobody; whoever could still be the maximiser by the
// same rule is called active here.
const bucb = (points, kernel, noiseVariance, plan, width, values, noise) => {
  const knows = F.posterior(points, kernel, noiseVariance), all = [...values.keys()], { mean } = knows;
  let active = all, done = 0;
  return plan.map((size) => {
    // The mean waits for the values of the batch.
    const query = F.listed(size, () => {
      const a = F.argmax(mean.map((m, i) => m + width * Math.sqrt(knows.variance[i])));
      knows.condition(a);
      return a;
    });
    const observed = query.map((i) => values[i] + noise[done++]);
    knows.tell(observed);
    const sd = knows.sd(), bar = F.top(mean.map((m, i) => m - width * sd[i])), before = active;
    active = all.filter((i) => mean[i] + width * sd[i] >= bar);
    return { query, observed, active: all, before, mean: mean.slice(), sd, bar, survivors: active, gain: knows.gains.at(-1) };
  });
};
// f, its norm, and the largest range of a function of norm 1.
const wheat = (points, kernel) => {
  const rows = F.posterior(points, kernel, 1), values = new Float64Array(points.size);
  SUMMANDS.forEach(([i, weight]) => rows.covariance(i).forEach((k, j) => { values[j] += weight * k; }));
  return { values, norm: Math.sqrt(F.sum(SUMMANDS, ([i, weight]) => weight * values[i])), range: Math.sqrt(2 - 2 * rows.covariance(0).at(-1)) };
};
// The terms of the sum over batches: what each batch may cost while f lies in the band.
const allowed = (plan, gains, width, noise) => plan.map((n, i) =>
  n * width * (i ? 4 * Math.sqrt((2 * gains[i - 1]) / Math.log1p(noise ** -2) / plan[i - 1]) : 2));

const compute = (s) => {
  const points = F.grid(SIZE), kernel = F.kernel(s.kernel, s.lengthscale), plan = sizes(s);
  const { values, norm, range } = wheat(points, kernel);
  const width = s.from === "fixed" ? s.width : norm + Math.sqrt(2 * Math.log((SIZE * plan.length) / DELTA));
  const noise = F.generator(s.seed, "noise").normals(s.horizon).map((z) => s.noise * z), best = F.argmax(values);
  const history = (s.keep === "yes" ? bucb : bpe)(points, kernel, s.noise ** 2, plan, width, values, noise), bounds = allowed(plan, history.map((r) => r.gain), width, s.noise);
  history.forEach((r, i) => Object.assign(r, {
    bound: bounds[i],
    regret: F.sum(r.query, (q) => values[best] - values[q]),
    kept: r.survivors.includes(best),
    valid: r.active.every((x, j) => Math.abs(values[x] - r.mean[j]) <= width * r.sd[j]),
  }));
  return { x: points.x[0], values, width, history, best, most: norm * range };
};

const draw = ({ x, values, width, history, best, most }, s, [host, below]) => {
  const r = history[s.batch - 1], low = Math.min(...values), high = values[best], reach = high - low, half = 0.5 / (SIZE - 1);
  // What is known of the active is a gap elsewhere.
  const full = (known) => values.map((_, i) => known[r.active.indexOf(i)]);
  const c = F.chart(host, "share of the second parent", [0, 1], "yield, tonnes", [low - 0.6 * reach, high + 0.5 * reach], { height: 270 });
  // 0 eliminated before, 1 now, 2 active
  const before = r.before ?? r.active, state = values.map((_, i) => r.survivors.includes(i) ? 2 : +before.includes(i)), kinds = [["muted dark"], ["muted"], ["k2 solid", 0, 0.04]];
  for (let i = 0, j; i < SIZE; i = j) {
    for (j = i + 1; state[j] === state[i]; j++);
    c.span(x[i] - half, x[j - 1] + half, ...kinds[state[i]]);
  }
  const put = ({ query, observed }, ...how) => query.forEach((i, j) => c.point(x[i], observed[j], ...how));
  history.slice(0, s.batch - 1).forEach((old) => put(old, "muted", 2.5, "hollow"));
  c.band(x, full(r.mean), full(r.sd), width).line(x, values, "ink").level(r.bar, "best lower bound");
  put(r);
  c.star(x[best], values[best]);
  // The band again, in its own unit: on the scale of the yields it is too thin to be pulled.
  const d = F.chart(below, "share of the second parent", [0, 1], "|f − mean| / sd", [0, 8], { height: 270 });
  const off = full(r.mean.map((m, i) => Math.abs(values[r.active[i]] - m) / r.sd[i]));
  d.span(0, 1, "k0", 0, width / 8).line(x, off, "ink").level(width, "edge of the band", "k0", "", "end");
  if (s.from === "fixed") d.grip(["width"], 0.5, width, (_, y) => ({ width: y }));
  d.show("How far f is from the mean of the band, in standard deviations.");
  const sum = (name) => F.sum(history, (b) => b[name]), sure = (b) => (b ? "yes" : "no");
  const told = `Batch ${s.batch} of ${history.length}, width ${F.number(width)}: ${r.survivors.length} of ${SIZE} candidates are active, the maximiser ${r.kept ? "among them" : "is not"}.`;
  c.show(r.before
    ? `The band comes from all points so far, the ${r.query.length} of this batch among them.`
    : `The band comes from the ${r.query.length} points of this batch, spread over the ${r.active.length} candidates active before it.`);
  const proved = !r.before, rows = history.map((b, i) => [i + 1, b.query.length, b.survivors.length, sure(b.kept), sure(b.valid), b.regret, ...(proved ? [b.bound] : [])]);
  return {
    says: `${told} ${r.before ? `Its regret is ${F.number(r.regret)}. Data are kept, so no sum over batches is proved.` : r.valid ? `Its regret is ${F.number(r.regret)}. The sum over batches allows ${F.number(r.bound)}, the trivial bound ${F.number(most * r.query.length)}.`
      : "The band misses f somewhere, so the sum over batches promises nothing."}`,
    live: { active: r.survivors.length, lost: history.findIndex((b) => !b.kept) + 1 || "no batch", total: sum("regret"), most: most * s.horizon },
    table: {
      caption: "All batches", head: ["batch", "points", "active", "maximiser active?", "f in the band?", "regret", ...(proved ? ["sum over batches"] : [])],
      rows: [...rows, ["all", s.horizon, "", "", "", sum("regret"), ...(proved ? [sum("bound")] : [])]],
    },
  };
};

F.define("batches", {
  pictures: 2,
  play: ["batch", 1500],
  count: [
    { words: "the maximiser is eliminated", holds: ({ history }) => !history.at(-1).kept },
    { words: "the band misses f somewhere in some batch", holds: ({ history }) => history.some((r) => !r.valid) },
  ],
  controls: [
    F.range("batch", "Batch shown", 1, (s) => sizes(s).length, 1, 2),
    F.menu("keep", "Old data", { no: "forgotten: BPE", yes: "kept: B-UCB" }),
    F.menu("rule", "Batch sizes", { power: "the paper’s, with a", original: "original" }),
    F.range("a", "a", 0.2, 0.8, 0.05, 0.6, { when: (s) => s.rule === "power" }),
    F.range("horizon", "Evaluations T", 20, 1000, 20, 1000),
    F.menu("from", "Width", { fixed: "as set here", theory: "the theory’s" }),
    F.range("width", "Width, in standard deviations", 0.2, 6, 0.1, 2, { grip: true }),
    F.range("noise", "Noise", 0.02, 0.5, 0.02, 0.1, { fold: true }),
    F.menu("kernel", "Kernel", F.KERNELS, { fold: true }),
    F.range("lengthscale", "Length-scale", 0.04, 0.4, 0.02, 0.12, { fold: true }),
    F.seed(7),
  ],
  compute, draw, sizes, bpe, bucb, allowed,
});
}
