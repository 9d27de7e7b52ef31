// What the figures to drag compute: Gaussian-process posteriors on a finite set, greedy designs, random functions, and a
// seeded generator. The same formulas, guards and ties as companion.gp.finite, with which a test compares every digit to 1e-9.
// Points are {dim, size, x: [coordinates by dimension]}, kernels come from kernel(), generators from generator().
(() => {
  "use strict";
  const floats = (n, value = 0) => new Float64Array(n).fill(value);

  // -- points and kernels ---------------------------------------------------------------------------------------------
  // Regular grid on [low, high]^dim, n points an axis; the last coordinate runs fastest.
  const grid = (n, dim = 1, low = 0, high = 1) => {
    const size = n ** dim, step = (high - low) / (n - 1);
    const at = (i) => (i === n - 1 ? high : low + i * step);
    const x = Array.from({ length: dim }, (_, d) =>
      Float64Array.from({ length: size }, (_, i) => at(Math.floor(i / n ** (dim - 1 - d)) % n)));
    return { dim, size, n, x };
  };
  const subset = (points, chosen) => ({
    dim: points.dim, size: chosen.length, x: points.x.map((axis) => Float64Array.from(chosen, (i) => axis[i])),
  });

  // Functions of the squared distance in length-scales.
  const SHAPES = {
    se: (r2) => Math.exp(-0.5 * r2),
    matern12: (r2) => Math.exp(-Math.sqrt(r2)),
    matern32: (r2) => { const z = Math.sqrt(3 * r2); return (1 + z) * Math.exp(-z); },
    matern52: (r2) => { const z = Math.sqrt(5 * r2); return (1 + z + (z * z) / 3) * Math.exp(-z); },
  };
  const KERNELS = { se: "squared exponential", matern12: "Matérn 1/2", matern32: "Matérn 3/2", matern52: "Matérn 5/2" };
  // A length-scale is one number, or one for each dimension.
  const kernel = (name, lengthscale, variance = 1) => ({ name, lengthscale, variance, shape: SHAPES[name] });
  const row = (k, points, i) => {
    const squared = floats(points.size);
    points.x.forEach((axis, d) => {
      const scale = k.lengthscale[d] ?? k.lengthscale;
      for (let j = 0; j < squared.length; j++) { const r = (axis[j] - axis[i]) / scale; squared[j] += r * r; }
    });
    for (let j = 0; j < squared.length; j++) squared[j] = k.variance * k.shape(squared[j]);
    return squared;
  };
  const matrix = (k, points) => Array.from({ length: points.size }, (_, i) => row(k, points, i));

  // -- ties -----------------------------------------------------------------------------------------------------------
  // Lowest index whose value is the largest up to 1e-9 of it, among those allowed.
  const argmax = (values, allowed) => {
    let best = -Infinity;
    for (let i = 0; i < values.length; i++) if ((!allowed || allowed[i]) && values[i] > best) best = values[i];
    const bar = Number.isFinite(best) ? best - 1e-9 * Math.abs(best) : best;
    for (let i = 0; i < values.length; i++) if ((!allowed || allowed[i]) && values[i] >= bar) return i;
    return -1;
  };

  // -- posterior ------------------------------------------------------------------------------------------------------
  // One row v_j = c_j / s_j of the factor an observation, so that a step costs O(tN). The value may come later, by tell().
  const posterior = (points, k, noiseVariance) => {
    const size = points.size, rows = [], pivots = [], picks = [], gains = [];
    const mean = floats(size), variance = floats(size, k.variance);
    let told = 0;
    // Posterior covariance of point a with all. Where a was observed before, its own last row shrunk by lambda / s^2 begins
    // the sum: with little noise the whole sum would be a small difference of large numbers.
    const covariance = (a) => {
      const last = picks.lastIndexOf(a), c = last < 0 ? row(k, points, a) : rows[last].slice();
      if (last >= 0) { const shrunk = noiseVariance / pivots[last]; for (let i = 0; i < size; i++) c[i] *= shrunk; }
      let j = last + 1;
      // Four rows at once: c is read and written a quarter as often.
      for (; j + 3 < rows.length; j += 4) {
        const [p, q, r, s] = rows.slice(j, j + 4), pa = p[a], qa = q[a], ra = r[a], sa = s[a];
        for (let i = 0; i < size; i++) c[i] -= pa * p[i] + qa * q[i] + ra * r[i] + sa * s[i];
      }
      for (; j < rows.length; j++) { const p = rows[j], pa = p[a]; for (let i = 0; i < size; i++) c[i] -= pa * p[i]; }
      return c;
    };
    const condition = (a) => {
      const c = covariance(a), own = variance[a], s2 = own + noiseVariance, s = Math.sqrt(s2), left = noiseVariance / s2;
      c[a] = own;
      for (let i = 0; i < size; i++) {
        // Rounding must not take a covariance above what the variances allow, nor a variance below lambda / s^2 of itself.
        const limit = Math.sqrt(own * variance[i]);
        c[i] = Math.max(-limit, Math.min(limit, c[i])) / s;
        variance[i] = i === a ? own * left : Math.max(variance[i] - c[i] * c[i], variance[i] * left);
      }
      rows.push(c); pivots.push(s); picks.push(a);
      gains.push((gains.at(-1) ?? 0) + 0.5 * Math.log(s2 / noiseVariance));
    };
    const add = (to, j, value) => {
      const v = rows[j], r = (value - to[picks[j]]) / pivots[j];
      for (let i = 0; i < size; i++) to[i] += r * v[i];
    };
    return {
      size, picks, gains, mean, variance, rows, pivots, covariance, condition,
      get gain() { return gains.at(-1) ?? 0; }, // 1/2 log det(I + K / lambda), in nats
      sd: () => variance.map(Math.sqrt),
      tell(values) { for (const value of values) add(mean, told++, value); },
      observe(a, value) { condition(a); add(mean, told++, value); },
      // Greedy maximum-variance design: count picks, no value needed.
      maxVariance(count, allowed) {
        const start = picks.length;
        for (let j = 0; j < count; j++) condition(argmax(variance, allowed));
        return picks.slice(start);
      },
      // A draw of the posterior from a draw of the prior and one normal number an observation (Matheron's rule).
      pathwise(draw, normals) {
        const seen = floats(size), sd = Math.sqrt(noiseVariance);
        picks.forEach((a, j) => add(seen, j, draw[a] + sd * normals[j]));
        return draw.map((f, i) => mean[i] + f - seen[i]);
      },
    };
  };
  // Information gains F(S_1), ..., F(S_T) of the greedy rule, in nats.
  const greedyGain = (points, k, noiseVariance, horizon) => {
    const knows = posterior(points, k, noiseVariance);
    knows.maxVariance(horizon);
    return knows.gains;
  };

  // -- random numbers and functions -----------------------------------------------------------------------------------
  // sfc32 of Chris Doty-Humphrey, opened by a whole number and a name: streams of different names have nothing in common.
  const generator = (seed, name = "") => {
    let h = 2166136261; // FNV-1a
    for (const letter of `${seed}/${name}`) h = Math.imul(h ^ letter.codePointAt(0), 16777619) >>> 0;
    let [a, b, c, d] = [h, seed >>> 0, 0x9e3779b9, 1], spare = null;
    const word = () => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0; a = b ^ (b >>> 9); b = (c + (c << 3)) | 0; c = (((c << 21) | (c >>> 11)) + t) | 0;
      return t >>> 0;
    };
    for (let i = 0; i < 12; i++) word();
    const uniform = () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992; // 53 bits, in [0, 1)
    const normal = () => { // Box and Muller, two at a time
      if (spare !== null) { const kept = spare; spare = null; return kept; }
      const r = Math.sqrt(-2 * Math.log(1 - uniform())), angle = 2 * Math.PI * uniform();
      spare = r * Math.sin(angle);
      return r * Math.cos(angle);
    };
    const integer = (n) => Math.floor(n * uniform());
    return {
      uniform, normal, integer,
      normals: (n) => Float64Array.from({ length: n }, normal),
      // k different ones of 0 .. n-1
      choose(n, k) {
        const all = Array.from({ length: n }, (_, i) => i);
        for (let i = 0; i < k; i++) { const j = i + integer(n - i); [all[i], all[j]] = [all[j], all[i]]; }
        return all.slice(0, k);
      },
    };
  };
  // Lower factor of a symmetric matrix (array of rows), null where it is not positive definite.
  const cholesky = (a, jitter = 0) => {
    const l = a.map((line) => floats(line.length));
    for (let i = 0; i < a.length; i++) for (let j = 0; j <= i; j++) {
      let sum = a[i][j] + (i === j ? jitter : 0);
      const p = l[i], q = l[j];
      for (let m = 0; m < j; m++) sum -= p[m] * q[m];
      if (i > j) p[j] = sum / q[j];
      else if (sum > 0) p[i] = Math.sqrt(sum);
      else return null;
    }
    return l;
  };
  // Draws of a zero-mean process, exact but for noise of variance 1e-9 that keeps the factor stable: O(N^3) once, O(N^2) a
  // draw. 400 points take a few milliseconds, 900 a tenth of a second: keep what this returns.
  const gpSampler = (points, k) => {
    const l = cholesky(matrix(k, points), 1e-9 * k.variance);
    return (random) => {
      const z = random.normals(points.size);
      return Float64Array.from(l, (line, i) => { let sum = 0; for (let j = 0; j <= i; j++) sum += line[j] * z[j]; return sum; });
    };
  };
  // A function of exactly this norm in the kernel's space: normal weights on a few of the points.
  const rkhsDraw = (points, k, random, norm = 1, centres = 5) => {
    const chosen = random.choose(points.size, centres), weights = random.normals(centres);
    const lines = chosen.map((c) => row(k, points, c));
    let squared = 0;
    lines.forEach((line, i) => chosen.forEach((c, j) => { squared += weights[i] * line[c] * weights[j]; }));
    const scale = norm / Math.sqrt(squared), values = floats(points.size);
    lines.forEach((line, i) => { for (let j = 0; j < values.length; j++) values[j] += scale * weights[i] * line[j]; });
    return values;
  };

  window.companionFigures = {
    grid, subset, kernel, KERNELS, row, matrix, argmax, posterior, greedyGain, generator, cholesky, gpSampler, rkhsDraw,
  };
})();
