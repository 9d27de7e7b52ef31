// MF-GP-UCB on three stations, as in companion.papers.meanfield.method, its kernel known (Steinberg et al., 2026).
"use strict";
{
// Q is the demand, SQUARE the squared length-scale of the laws.
const F = companionFigures, Q = [0.62, 0.28, 0.1], LAWS = [], SQUARE = 0.3 ** 2;
for (let i = 0; i < 31; i++) for (let j = 0; i + j < 31; j++) LAWS.push([i / 30, j / 30, (30 - i - j) / 30]);
const dot = (a, b) => { let all = 0; for (let i = 0; i < a.length; i++) all += a[i] * b[i]; return all; };
const softmax = (z) => { const e = z.map(Math.exp); return e.map((v) => v / F.sum(e)); };
const part = (p, q) => p && (p / 2) * Math.log((2 * p) / (p + q)), loss = (p) => F.sum(p, (v, x) => part(v, Q[x]) + part(Q[x], v));
// Stations are half apart, and the one context adds a constant.
const beside = (a, b) => 1 + Math.exp(-((a - b) ** 2) / 8 / SQUARE);
const near = (a, b) => Math.exp(-((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2) / 2 / SQUARE);
// Uniform numbers of Park and Miller, as the lesson's cell has them: the same run to the last digit.
const PRIME = 2 ** 31 - 1;
const streams = { luck(state) {
  state %= PRIME;
  const uniform = () => (state = (48271 * state) % PRIME) / PRIME;
  return { uniform, integer: (n) => Math.floor(n * uniform()) };
} };
const best = (all) => all.reduce((a, b) => (b.value > a.value ? b : a));

// MF-UCB at a law, and its gradient. P inverts the covariance of the data.
const acquisition = (data, P, width) => {
  const mul = (v) => P.map((row) => dot(row, v)), y = data.map((d) => d.y), mean = F.sum(y) / y.length;
  const z = y.map((v) => v - mean), unit = Math.sqrt(dot(z, z) / y.length), a = mul(z.map((v) => v / (unit > 1e-12 ? unit : 1)));
  const own = Q.map((_, x) => { const k = data.map((d) => beside(d.x, x)), v = mul(k); return { v, mean: dot(k, a), known: dot(k, v) }; });
  return (law) => {
    const w = data.map((d) => near(d.law, law)), v = mul(w), sd = own.map((o) => Math.sqrt(3 - o.known - 2 * dot(w, o.v) - dot(w, v)));
    const up = own.map((o, x) => o.mean + dot(w, a) + width * sd[x]);
    return { law, value: dot(law, up), slope() {
      const pull = w.map((e, i) => (e / SQUARE) * (a[i] - width * F.sum(own, (o, x) => (law[x] / sd[x]) * (v[i] + o.v[i]))));
      return up.map((u, x) => u - F.sum(data, (d, i) => pull[i] * (law[x] - d.law[x])));
    } };
  };
};
const adam = (at, rate) => (start) => {
  let theta = start.map((p) => Math.log(Math.max(p, 1e-12))), m = [0, 0, 0], v = m;
  return best(F.listed(101, (n) => {
    const now = at(softmax(theta)), slope = now.slope(), g = slope.map((e, x) => now.law[x] * (e - dot(now.law, slope)));
    m = m.map((e, x) => 0.9 * e + (1 - 0.9) * g[x]);
    v = v.map((e, x) => 0.999 * e + (1 - 0.999) * g[x] ** 2);
    theta = theta.map((e, x) => e + (rate * m[x]) / (1 - 0.9 ** (n + 1)) / (Math.sqrt(v[x] / (1 - 0.999 ** (n + 1))) + 1e-8));
    return now;
  }));
};
const compute = ({ seed, search, width, agents, round, two: second, three: third }) => {
  const laws = streams.luck(1e6 * (seed + 1)), draws = streams.luck(1e9 * (seed + 1)), data = [];
  for (let P = []; data.length < 25;) {
    const d = { law: softmax(Q.map(laws.uniform)) }, [one, two] = [...data].sort((a, b) => b.y - a.y);
    if (data.length > 4) {
      d.at = acquisition([...data], P, width);
      d.law = best(search === "exact" ? LAWS.map(d.at) : [one.law, two.law, d.law].map(adam(d.at, 0.01))).law;
      // In the round shown the reader may send them elsewhere.
      if (data.length === round - 1 && second >= 0) d.law = [F.top([0, 1 - second - third]), second, F.top([0, third])];
    }
    const acts = F.listed(agents, () => { const u = draws.uniform(); return (u >= d.law[0]) + (u >= d.law[0] + d.law[1]); });
    d.shares = Q.map((_, x) => acts.filter((act) => act === x).length / agents);
    d.y = -loss(d.shares);
    d.x = acts[draws.integer(agents)];
    const k = data.map((e) => beside(e.x, d.x) + near(e.law, d.law)), u = [...P.map((row) => dot(row, k)), -1], s = 3.01 - dot(k, u);
    P = [...P, []].map((row, i) => u.map((v, j) => (row[j] ?? 0) + (u[i] * v) / s));
    data.push(d);
  }
  return data;
};
const draw = (data, { round }, [first, second]) => {
  const d = data[round - 1], values = LAWS.map((law) => d.at(law).value), low = Math.min(...values), high = F.top(values);
  // A law is a place in a triangle, and a corner sends all agents to one station.
  const tall = Math.sqrt(3) / 2, at = ([, q, r]) => [q + r / 2, r * tall], put = (law, ...how) => c.point(...at(law), ...how);
  const c = F.chart(first, "", [-0.02, 1.02], "", [-0.02, tall + 0.02], { bare: true }).line([0, 1, 0.5, 0], [0, 0, tall, 0], "muted");
  c.text(0, 0, "station 1", "ink", "start", 18).text(1, 0, "station 2", "ink", "end", 18).text(0.57, tall, "station 3");
  LAWS.forEach((law, i) => put(law, "k0", (3.5 * (values[i] - low)) / (high - low)));
  data.slice(0, round - 1).forEach((e) => put(e.law, "ink", 3));
  put(d.law, "accent", 6); put(d.shares, "accent", 9, "hollow"); c.star(...at(Q), "k1");
  const regret = data.map((e) => loss(e.law)), even = loss([1 / 3, 1 / 3, 1 / 3]), b = F.chart(second, "evaluations", [1, 25], "regret", [0, 0.6], { height: 220 });
  b.level(even, "uniform law", "accent", "6 4", "end").line(regret.map((_, i) => i + 1), regret).point(round, regret[round - 1]);
  const step = (v, most) => Math.max(0, Math.min(most, v));
  c.grip(["two", "three"], ...at(d.law), (across, up, three = step(up / tall, 1)) => ({ three, two: step(across - three / 2, 1 - three) }),
    { two: d.law[1], three: d.law[2] });
  c.show("Larger dots: larger acquisition.");
  b.show("Regret of each evaluation beside the uniform law’s.");
  return { says: `The law of evaluation ${round} sends ${d.law.map((v) => `${Math.round(100 * v)} %`).join(", ")} of the agents to the stations.`,
    values: [["its acquisition", d.at(d.law).value], ["largest of all laws", high], ["cumulative regret", F.sum(regret)], ["the uniform law’s", 25 * even]],
    live: { share: `${Math.round(100 * F.top(d.law))} %`, now: regret[round - 1], regret: F.sum(regret), uniform: 25 * even } };
};
const SHARE = { grip: true, show: (v) => (v < 0 ? "as chosen" : `${Math.round(100 * v)} %`) };
F.define("swarm", { pictures: 2, compute, draw, acquisition, adam, streams, play: ["round", 700], count: [
  { words: "all agents are sent to one station in the evaluation shown", holds: (r, { round }) => F.top(r[round - 1].law) > 0.99 },
  { words: "the cumulative regret is below the uniform law’s", holds: (r) => F.sum(r, (d) => loss(d.law)) < 25 * loss([1 / 3, 1 / 3, 1 / 3]) },
], controls: [
  F.range("round", "Evaluation shown", 6, 25, 1, 6, { clears: ["two", "three"] }),
  F.range("two", "Agents sent to station 2", -0.05, 1, 0.05, -0.05, SHARE),
  F.range("three", "Agents sent to station 3", -0.05, (s) => 1 - Math.max(0, s.two), 0.05, -0.05, SHARE),
  F.menu("search", "Maximised", { exact: "over all laws", adam: "by Adam" }),
  F.range("width", "Width", 0, 5, 0.5, 3),
  F.steps("agents", "Agents", [3, 10, 30, 100, 300, 1000, 3000], 300),
  F.seed(12),
] });
}
