// What the figures to drag compute. Formulas, guards and ties are those of companion.gp.posterior; a test compares both to 1e-9.
"use strict";
{
const { sqrt, exp, floor, log, max } = Math;
const floats = (n, value = 0) => new Float64Array(n).fill(value);
const top = (values) => max(...values);
const sum = (values, of = (v) => v) => values.reduce((all, v, i) => all + of(v, i), 0);
const listed = (n, of) => Array.from({ length: n }, (_, i) => of(i));

// Regular grid on [low, high]^dim, n points an axis, the last coordinate fastest: {dim, size, x: [coordinates of each dimension]}.
const grid = (n, dim = 1, low = 0, high = 1) => {
  const size = n ** dim, step = (high - low) / (n - 1), at = (i) => (i === n - 1 ? high : low + i * step);
  return { dim, size, x: listed(dim, (d) => Float64Array.from(listed(size, (i) => at(floor(i / n ** (dim - 1 - d)) % n)))) };
};
const subset = ({ dim, x }, chosen) => ({ dim, size: chosen.length, x: x.map((axis) => Float64Array.from(chosen, (i) => axis[i])) });

const KERNELS = { se: "squared exponential", matern12: "Matérn 1/2", matern32: "Matérn 3/2", matern52: "Matérn 5/2" };
// Of the squared distance in length-scales.
const SHAPES = {
  se: (r2) => exp(-0.5 * r2),
  matern12: (r2) => exp(-sqrt(r2)),
  matern32: (r2, z = sqrt(3 * r2)) => (1 + z) * exp(-z),
  matern52: (r2, z = sqrt(5 * r2)) => (1 + z + (z * z) / 3) * exp(-z),
};
// The length-scale is a number, or a list with one for each dimension.
const kernel = (name, lengthscale, variance = 1) => ({ name, lengthscale, variance });
const row = ({ name, lengthscale, variance }, points, i) => {
  const k = floats(points.size), shape = SHAPES[name];
  points.x.forEach((axis, d) => {
    const scale = lengthscale[d] ?? lengthscale;
    for (let j = 0; j < k.length; j++) k[j] += ((axis[j] - axis[i]) / scale) ** 2;
  });
  for (let j = 0; j < k.length; j++) k[j] = variance * shape(k[j]);
  return k;
};

// Lowest index whose value is the largest up to 1e-9 of it.
const argmax = (values) => {
  const best = top(values), bar = isFinite(best) ? best - 1e-9 * Math.abs(best) : best;
  return values.findIndex((value) => value >= bar);
};

// One row v_j = c_j / s_j of the factor an observation: O(tN) a step. Values may come later, by tell(). The gains are
// 1/2 log det(I + K / lambda) after each, in nats.
const posterior = (points, k, noiseVariance) => {
  const n = points.size, rows = [], pivots = [], picks = [], gains = [], mean = floats(n), variance = floats(n, k.variance);
  let told = 0;
  // Where a was observed before, its own last row, shrunk, begins the sum: the whole sum would lose digits at small noise.
  const covariance = (a) => {
    const last = picks.lastIndexOf(a), c = last < 0 ? row(k, points, a) : rows[last].map((v) => (v * noiseVariance) / pivots[last]);
    let j = last + 1;
    // Four rows at once: c is read and written a quarter as often.
    for (; j + 3 < rows.length; j += 4) {
      const [p, q, r, s] = rows.slice(j, j + 4), pa = p[a], qa = q[a], ra = r[a], sa = s[a];
      for (let i = 0; i < n; i++) c[i] -= pa * p[i] + qa * q[i] + ra * r[i] + sa * s[i];
    }
    for (; j < rows.length; j++) for (let p = rows[j], pa = p[a], i = 0; i < n; i++) c[i] -= pa * p[i];
    return c;
  };
  const condition = (a) => {
    const c = covariance(a), own = variance[a], s2 = own + noiseVariance, s = sqrt(s2), left = noiseVariance / s2;
    for (let i = 0; i < n; i++) {
      // Rounding takes no covariance above what the variances allow, and no variance below lambda / s^2 of itself.
      const limit = sqrt(own * variance[i]), v = (i === a ? own : max(-limit, Math.min(limit, c[i]))) / s;
      c[i] = v;
      variance[i] = i === a ? own * left : max(variance[i] - v * v, variance[i] * left);
    }
    rows.push(c); pivots.push(s); picks.push(a);
    gains.push((gains.at(-1) ?? 0) + 0.5 * log(s2 / noiseVariance));
  };
  const add = (to, j, value) => {
    const v = rows[j], r = (value - to[picks[j]]) / pivots[j];
    for (let i = 0; i < n; i++) to[i] += r * v[i];
  };
  return {
    mean, variance, picks, gains, covariance, condition,
    sd: () => variance.map(sqrt),
    tell(values) { values.forEach((value) => add(mean, told++, value)); },
    observe(a, value) { condition(a); add(mean, told++, value); },
    // Greedy design: so many times the largest variance, without looking at any value.
    maxVariance(count) {
      for (let j = 0; j < count; j++) condition(argmax(variance));
      return picks.slice(-count);
    },
    // A draw of the posterior from one of the prior and a normal number an observation (Matheron's rule).
    pathwise(draw, normals) {
      const seen = floats(n);
      picks.forEach((a, j) => add(seen, j, draw[a] + sqrt(noiseVariance) * normals[j]));
      return draw.map((f, i) => mean[i] + f - seen[i]);
    },
  };
};

// sfc32 (Chris Doty-Humphrey), opened by a whole number and a name (FNV-1a): one stream for each purpose.
const generator = (seed, name = "") => {
  let h = 2166136261, spare = null;
  for (const letter of `${seed}/${name}`) h = Math.imul(h ^ letter.codePointAt(0), 16777619) >>> 0;
  let [a, b, c, d] = [h, seed >>> 0, 0x9e3779b9, 1];
  const word = () => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0; a = b ^ (b >>> 9); b = (c + (c << 3)) | 0; c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  listed(12, word);
  // In [0, 1).
  const uniform = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
  // Box and Muller, two at a time.
  const normal = () => {
    if (spare !== null) { const kept = spare; spare = null; return kept; }
    const r = sqrt(-2 * log(1 - uniform())), angle = 2 * Math.PI * uniform();
    spare = r * Math.sin(angle);
    return r * Math.cos(angle);
  };
  const integer = (n) => floor(n * uniform());
  return {
    uniform, normal, integer,
    normals: (n) => Float64Array.from(listed(n, normal)),
    // k different ones of 0 .. n-1
    choose(n, k) {
      const all = listed(n, (i) => i);
      for (let i = 0; i < k; i++) { const j = i + integer(n - i); [all[i], all[j]] = [all[j], all[i]]; }
      return all.slice(0, k);
    },
  };
};
// Draws of a zero-mean process, with noise of variance 1e-9 that keeps the factor stable: O(N^3) once, O(N^2) a draw.
const gpSampler = (points, k) => {
  // The covariance, row by row; its lower half becomes its Cholesky factor.
  const rows = listed(points.size, (i) => row(k, points, i));
  rows.forEach((p, i) => {
    for (let j = 0; j <= i; j++) {
      const q = rows[j];
      let left = p[j] + (i === j ? 1e-9 * k.variance : 0);
      for (let m = 0; m < j; m++) left -= p[m] * q[m];
      p[j] = i === j ? sqrt(left) : left / q[j];
    }
  });
  return (random, z = random.normals(points.size)) => Float64Array.from(rows, (p, i) => sum(p.subarray(0, i + 1), (v, j) => v * z[j]));
};

window.companionFigures = { top, sum, listed, grid, subset, kernel, KERNELS, argmax, posterior, generator, gpSampler };
}
