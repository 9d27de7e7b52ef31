// Batched pure exploration, batch by batch: Algorithm 2 of Ma, Chen and Scarlett (2026) as companion.papers.batched.method has it.
(() => {
  "use strict";
  const F = window.companionFigures, SIZE = 200, NORM = 1, DELTA = 0.1;

  // Equations (5) and (6), cut off where the horizon is used up. A power that is an integer is recognised as one: the powers
  // that occur here and are none lie further from the next integer (compared with exact ceilings in a test).
  const sizes = ({ rule, a, horizon }) => {
    const all = [];
    for (let rest = horizon, i = 1, size = 1; rest > 0; rest -= size, i++) {
      const wanted = rule === "power" ? horizon ** (1 - a ** i) - 1e-9 : Math.sqrt(horizon * size);
      size = Math.min(Math.ceil(wanted), rest);
      all.push(size);
    }
    return all;
  };
  // values: f at all points; noise: of every evaluation in its order. One record a batch.
  const bpe = (points, kernel, noiseVariance, plan, width, values, noise) => {
    let active = Array.from({ length: points.size }, (_, i) => i), done = 0;
    return plan.map((size) => {
      const knows = F.posterior(F.subset(points, active), kernel, noiseVariance); // nothing of earlier batches
      const query = knows.maxVariance(size).map((i) => active[i]);
      const observed = query.map((i) => values[i] + noise[done++]);
      knows.tell(observed);
      const mean = knows.mean, sd = knows.sd(), bar = Math.max(...mean.map((m, i) => m - width * sd[i]));
      const survivors = active.filter((_, i) => mean[i] + width * sd[i] >= bar);
      const record = { query, observed, active, mean, sd, bar, survivors, gain: knows.gain };
      active = survivors;
      return record;
    });
  };
  // Proposition 2: what each batch may cost while the confidence bounds hold.
  const allowed = (plan, gains, width, noise) => {
    const c = 2 / Math.log1p(noise ** -2);
    return plan.map((n, i) => (i ? 4 * n * width * Math.sqrt((c * gains[i - 1]) / plan[i - 1]) : 2 * n * width));
  };

  const compute = (s) => {
    const points = F.grid(SIZE), kernel = F.kernel(s.kernel, s.lengthscale), plan = sizes(s);
    // Hills rather than a hole: what is large in size shall be large.
    let values = F.rkhsDraw(points, kernel, F.generator(s.seed, "function"), NORM, 6);
    if (Math.max(...values) < -Math.min(...values)) values = values.map((v) => -v);
    const noise = F.generator(s.seed, "noise").normals(s.horizon).map((z) => s.noise * z);
    const width = s.from === "fixed" ? s.width : NORM + Math.sqrt(2 * Math.log((SIZE * plan.length) / DELTA));
    const history = bpe(points, kernel, s.noise ** 2, plan, width, values, noise), best = F.argmax(values);
    const bounds = allowed(plan, history.map((r) => r.gain), width, s.noise);
    history.forEach((r, i) => {
      r.bound = bounds[i];
      r.regret = r.query.reduce((sum, q) => sum + values[best] - values[q], 0);
      r.kept = r.survivors.includes(best);
      r.valid = r.active.every((x, j) => Math.abs(values[x] - r.mean[j]) <= width * r.sd[j]);
    });
    return { x: points.x[0], values, width, history, best };
  };

  const draw = ({ x, values, width, history, best }, s, [host]) => {
    const r = history[s.batch - 1], low = Math.min(...values), high = Math.max(...values), reach = high - low;
    const [lower, upper] = [-1, 1].map((sign) => {
      const all = new Float64Array(SIZE).fill(NaN);
      r.active.forEach((i, j) => { all[i] = r.mean[j] + sign * width * r.sd[j]; });
      return all;
    });
    const c = F.chart(host, { x: [0, 1], y: [low - 0.6 * reach, high + 0.5 * reach], xlabel: "x", ylabel: "f and its band", height: 330 });
    const half = 0.5 / (SIZE - 1), active = new Set(r.active), alive = new Set(r.survivors);
    // Stretches of equal points at once.
    const stretches = (is, use) => {
      for (let i = 0, j; i < SIZE; i = j) {
        for (j = i + 1; j < SIZE && is(j) === is(i); j++);
        if (is(i)) use(x[i] - half, x[j - 1] + half);
      }
    };
    stretches((i) => !active.has(i), (a, b) => c.span(a, b).span(a, b));
    stretches((i) => active.has(i) && !alive.has(i), (a, b) => c.span(a, b));
    c.band(x, lower, upper).line(x, values, "ink").level(r.bar);
    history.slice(0, s.batch - 1).forEach((old) => c.points(old.query.map((i) => x[i]), old.observed, "muted", { hollow: true, r: 2.5 }));
    c.points(r.query.map((i) => x[i]), r.observed);
    stretches((i) => alive.has(i), (a, b) => c.span(a, b, "k2 solid", 0, 0.04));
    c.star(x[best], values[best]).text(0.01, r.bar, "best lower bound", "accent", "start", -5);
    const told = `Batch ${s.batch} of ${history.length}, width ${F.number(width, 3)}: ${r.survivors.length} of ${SIZE} candidates are alive, `
      + `the maximiser ${r.kept ? "among them" : "is not"}.`;
    c.show(`${told} The band is computed from the ${r.query.length} points of this batch, which are spread over the ${r.active.length} candidates alive before it.`);
    const rows = history.map((b, i) => [`${i + 1}`, `${b.query.length}`, `${b.survivors.length}`, b.kept ? "yes" : "no", b.valid ? "yes" : "no",
      F.number(b.regret, 3), F.number(b.bound, 3)]);
    const sum = (name) => F.number(history.reduce((all, b) => all + b[name], 0), 3);
    rows.push(["all", `${s.horizon}`, "", "", "", sum("regret"), sum("bound")]);
    return {
      says: `${told} ${r.valid ? `Its regret is ${F.number(r.regret, 3)}; Proposition 2 allows ${F.number(r.bound, 3)}, and no method can lose more than ${F.number(2 * NORM * r.query.length)}.`
        : "The band misses f somewhere, so Proposition 2 promises nothing."}`,
      table: { caption: "All batches,", head: ["batch", "points", "alive", "maximiser alive?", "f in the band?", "regret", "Proposition 2"], rows },
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
