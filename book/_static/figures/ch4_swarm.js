// MF-GP-UCB on three stations, as in companion.papers.meanfield.method, its kernel known (Steinberg et al., 2026).
(() => {
"use strict";
const F = companionFigures, Q = [0.62, 0.28, 0.1], LAWS = [], SQUARE = 0.3 ** 2; // demand; length-scale of the laws, squared
for (let i = 0; i < 31; i++) for (let j = 0; i + j < 31; j++) LAWS.push([i / 30, j / 30, (30 - i - j) / 30]);
const dot = (a, b) => { let all = 0; for (let i = 0; i < a.length; i++) all += a[i] * b[i]; return all; };
const softmax = (z) => { const e = z.map(Math.exp); return e.map((v) => v / (e[0] + e[1] + e[2])); };
const part = (p, q) => p && (p / 2) * Math.log((2 * p) / (p + q)), loss = (p) => p.reduce((all, v, x) => all + part(v, Q[x]) + part(Q[x], v), 0);
const near = (a, b) => Math.exp(-((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2) / 2 / SQUARE);
const best = (all) => all.reduce((a, b) => (b.value > a.value ? b : a));

// MF-UCB at a law, and its gradient. P inverts the covariance of the data; two stations share no more than a constant.
const acquisition = (data, P, width) => {
  const mul = (v) => P.map((row) => dot(row, v)), y = data.map((d) => d.y), mean = y.reduce((a, b) => a + b) / y.length;
  const z = y.map((v) => v - mean), unit = Math.sqrt(dot(z, z) / y.length), a = mul(z.map((v) => v / (unit > 1e-12 ? unit : 1)));
  const own = Q.map((_, x) => { const k = data.map((d) => 1 + (d.x === x)), v = mul(k); return { v, mean: dot(k, a), known: dot(k, v) }; });
  return (law) => {
    const w = data.map((d) => near(d.law, law)), v = mul(w), sd = own.map((o) => Math.sqrt(3 - o.known - 2 * dot(w, o.v) - dot(w, v)));
    const up = own.map((o, x) => o.mean + dot(w, a) + width * sd[x]);
    return { law, value: dot(law, up), slope() {
      const pull = w.map((e, i) => (e / SQUARE) * (a[i] - width * own.reduce((all, o, x) => all + (law[x] / sd[x]) * (v[i] + o.v[i]), 0)));
      return up.map((u, x) => u - data.reduce((all, d, i) => all + pull[i] * (law[x] - d.law[x]), 0));
    } };
  };
};
const adam = (at, rate) => (start) => {
  let theta = start.map((p) => Math.log(Math.max(p, 1e-12))), m = [0, 0, 0], v = m;
  return best(Array.from({ length: 101 }, (_, n) => {
    const now = at(softmax(theta)), slope = now.slope(), g = slope.map((e, x) => now.law[x] * (e - dot(now.law, slope)));
    m = m.map((e, x) => 0.9 * e + (1 - 0.9) * g[x]);
    v = v.map((e, x) => 0.999 * e + (1 - 0.999) * g[x] ** 2);
    theta = theta.map((e, x) => e + (rate * m[x]) / (1 - 0.9 ** (n + 1)) / (Math.sqrt(v[x] / (1 - 0.999 ** (n + 1))) + 1e-8));
    return now;
  }));
};
const compute = ({ seed, search, width, agents }) => {
  const laws = F.generator(seed, "laws"), draws = F.generator(seed, "agents"), data = [];
  for (let P = []; data.length < 25;) {
    const d = { law: softmax(Q.map(laws.uniform)) }, [one, two] = [...data].sort((a, b) => b.y - a.y);
    if (data.length > 4) {
      d.at = acquisition([...data], P, width);
      d.law = best(search === "exact" ? LAWS.map(d.at) : [one.law, two.law, d.law].map(adam(d.at, 0.01))).law;
    }
    const acts = Array.from({ length: agents }, () => { const u = draws.uniform(); return (u >= d.law[0]) + (u >= d.law[0] + d.law[1]); });
    d.shares = Q.map((_, x) => acts.filter((act) => act === x).length / agents);
    d.y = -loss(d.shares);
    d.x = acts[draws.integer(agents)];
    const k = data.map((e) => 1 + (e.x === d.x) + near(e.law, d.law)), u = [...P.map((row) => dot(row, k)), -1], s = 3.01 - dot(k, u);
    P = [...P, []].map((row, i) => u.map((v, j) => (row[j] ?? 0) + (u[i] * v) / s));
    data.push(d);
  }
  return data;
};
const draw = (data, { round }, [first, second]) => {
  const d = data[round - 1], values = LAWS.map((law) => d.at(law).value), low = Math.min(...values), high = Math.max(...values);
  const c = F.simplex(first, ["station 1", "station 2", "station 3"]), put = (law, k, r, hollow) => c.points(...c.at(law).map((v) => [v]), k, { r, hollow });
  LAWS.forEach((law, i) => put(law, "k0", (3.5 * (values[i] - low)) / (high - low)));
  data.slice(0, round - 1).forEach((e) => put(e.law, "ink", 3));
  put(d.law, "accent", 6); put(d.shares, "accent", 9, true); c.star(...c.at(Q), "k1");
  const regret = data.map((e) => loss(e.law)), even = loss([1 / 3, 1 / 3, 1 / 3]), b = F.chart(second, { x: [1, 25], y: [0, 0.6], xlabel: "round", ylabel: "regret", height: 220 });
  b.level(even).line(regret.map((_, i) => i + 1), regret).points([round], [regret[round - 1]]).text(25, even, "uniform law", "accent", "end", -5);
  const says = `The law of round ${round} sends ${d.law.map((v) => `${Math.round(100 * v)} %`).join(", ")} of the agents to the stations.`;
  const table = [["its acquisition", d.at(d.law).value], ["largest on the lattice", high], ["regret of all rounds", regret.reduce((a, e) => a + e)],
    ["the uniform law’s", 25 * even]].map(([k, v]) => [k, F.number(v, 3)]);
  c.show(`Larger dots: larger acquisition. ${says} ${table.join("; ")}`);
  b.show(`Regret of each round beside the uniform law’s. ${table.join("; ")}`);
  return { says, values: table };
};
F.define("swarm", { title: "laws for a swarm", pictures: 2, compute, draw, acquisition, adam, controls: [
  { name: "round", label: "Round shown", min: 6, max: 25, step: 1, value: 6 },
  { name: "search", label: "Maximised", options: { exact: "over a lattice", adam: "by Adam, the paper’s rate" }, value: "exact" },
  { name: "width", label: "Width", min: 0, max: 5, step: 0.5, value: 3 },
  { name: "agents", label: "Agents", values: [3, 10, 30, 100, 300, 1000, 3000], value: 300 },
  { name: "seed", label: "Seed", min: 0, max: 99, step: 1, value: 0 },
] });
})();
