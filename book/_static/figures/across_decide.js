// The answer for one's own setting, looked up in the record of companion.papers.across.page.decide; nothing is computed. The words, and
// the programs, are those of across_decide.toml.
"use strict";
{
const F = companionFigures, { log, abs } = Math, n = F.number, DIMS = [1, 2, 4, 6];
// The nearest by ratio; the first of two.
const off = (a, b) => abs(log(a / b)), nearest = (all, v) => all.reduce((a, b) => (off(b, v) < off(a, v) - 1e-9 ? b : a));
const told = (v, unit = "") => `${n(v[0])}${unit} (${n(v[1])} to ${n(v[2])})`, fill = (text, at) => text.replace(/\{(\w+)\}/g, (_, key) => at[key]);
const plain = (name) => name.replace(/^b-/, "").replace("qlognei", "nei").split(" ");

const compute = (s, { data: D, words: W }) => {
  const boxed = s.domain === "box", fitted = s.model === "fitted", many = s.batch > 1, dim = nearest(DIMS, s.dim);
  // What was run nearest: in rounds and with a known model on a box, and with a fitted one on candidates, at one noise alone.
  const noise = boxed ? (many || !fitted ? 0.1 : s.noise) : fitted ? 0.1 : s.noise, plays = boxed || !fitted || s.T < 50 ? s.T : 50;
  const measure = s.pay === "best" ? { 30: "early", 50: "half", 100: "final" }[plays] : s.pay === "every" ? "plays" : "rounds";
  const key = `${s.domain} ${s.model} ${measure} ${s.batch} ${noise}${boxed ? ` ${dim}` : ""}`, rows = D.ranks[key], mine = boxed ? dim : noise;
  const at = { ...s, nearest: boxed && dim !== s.dim ? fill(W.nearest, s) : "", plays, noise, near: dim, library: W.libraries[s.library], model: W.models[s.model], functions: D.functions[boxed ? (fitted ? dim : "known") : fitted ? "small" : "candidates"] };
  at.measure = fill(W.measures[!boxed && fitted && s.pay === "every" ? "fifty" : s.pay], at);
  at.of = at.measure.replace(/^./, (c) => c.toLowerCase());
  const large = (text) => text.replace(/^./, (c) => c.toUpperCase()), part = (name, variant, more) => W[name][variant].map((text) => large(fill(text, Object.assign(at, more))));
  const called = (name) => D.names[name], listed = (mark, all = rows.slice(1)) => all.filter((r) => r[4] === mark).map(([name]) => called(name)).join("; ") || W.none;
  const parts = {}, [[first, ...mean]] = rows ?? [[]], [rule, setting] = first ? plain(first) : [];

  // What is not run is not recommended.
  const missing = !rows && (Object.keys(D.ranks).some((k) => k.startsWith(`${s.domain} ${s.model}`)) ? `${s.domain}_${s.model}${s.pay === "rounds" && !boxed ? "_rounds" : ""}` : "nothing");
  const own = (name) => fill(W.called[s.library][name[0]] ?? "", { width: name[1], beta: name[1] === "proved" ? "" : n(name[1] ** 2) });
  if (rows) {
    const swapped = s.pay === "every" ? "final" : "plays", there = D.ranks[key.replace(` ${measure} `, ` ${swapped} `)]?.find(([name]) => name === first);
    const other = D.other[key] ?? there?.slice(1), whole = boxed && fitted && D.all[`${measure} ${s.batch} ${noise}`];
    parts.rule = part("rule", "first", { rule: called(first), even: listed(2), open: listed(1), worse: listed(0), mean: n(mean[0]), ends: told(mean), seeds: boxed ? (many || noise !== 0.1 ? 5 : 10) : fitted ? W.few[s.batch] : 50,
      other: other ? fill(W.other[s.pay], { other: told(other) }) : "", whole: whole ? fill(W.whole, { even: whole[0].map(called).join("; "), open: whole[1].map(called).join("; ") || W.none, count: whole[2] }) : "",
      where: fill(W.where[s.domain + (boxed ? "" : "_" + s.model)], at), asked: s.pay === "best" && plays !== s.T ? fill(W.asked, at) : "" });
  } else parts.rule = part("rule", missing);

  // Each of the other questions: what was found, nearest to the setting, with its sign.
  const put = (name, found, variant, more) => { parts[name] = found ? part(name, variant, more) : part(name, "none"); };
  const factor = (question, rules) => {
    const of = D.effects[`${question} ${measure}`] ?? {}, chosen = rules.includes(`${rule} ${setting}`) ? `${rule} ${setting}` : rules[0];
    const dims = Object.keys(of).map((k) => +k.split(", ").pop()).filter((v) => v > 0), here = question.startsWith("box") && dims.length ? `, ${nearest(dims.sort(), s.dim)}` : "";
    const find = (what, by = chosen) => of[`${what}, ${by}${here}`];
    return { chosen: called(chosen), find, all: (what, by = chosen) => of[`${what}, ${by}, all`], is: !!Object.keys(of).length };
  };
  const shown = (v) => W.shown[v[3]], both = (f, names) => names.map(([name, words]) => `${words} ${told(f.find(name))}${f.all(name) ? fill(W.everywhere, { all: told(f.all(name)) }) : ""}${shown(f.find(name))}`).join("; ");
  const better = (f, names) => names.find(([name]) => f.find(name)[3] < 0);

  const [width, more] = D.widths[`${s.domain} ${measure} ${s.batch} ${noise}${boxed ? ` ${dim}` : ""}`] ?? [];
  put("width", width && rows && (boxed ? fitted : !fitted), "known", width && { best: width, beta: width === "proved" ? W.proved : n(width ** 2), others: Object.entries(more).map(([w, v]) => fill(W.wider, { w: W.settings[w] ?? w, more: told(v) })).join("; ") });

  const sizes = [5, 10].map((b) => D.sizes[`${s.domain} ${measure} ${b} ${mine} ${rule} ${setting}`]);
  put("batch", sizes[0] && (boxed ? fitted : !fitted), s.pay === "rounds" ? "rounds" : sizes[1]?.[1] > 0 ? "costs" : "free", sizes[0] && { one: called(`${rule} ${setting}`), five: told(sizes[0]), ten: told(sizes[1]), least: n(sizes[1][0]) });

  const starts = factor("box initial points", ["nei -", "ucb 2"]), counts = [[2, "with 2"], [5, "with 5"], [20, "with 20"]], [fewer] = (starts.is && rows && boxed && fitted && starts.chosen === called(`${rule} ${setting}`) && better(starts, counts)) || [10];
  at.initial = fewer;
  put("initial", starts.is, better && starts.is && better(starts, counts) ? "other" : "ten", starts.is && { by: starts.chosen, a: n(starts.find(2)[0]), b: n(starts.find(5)[0]), c: n(starts.find(20)[0]), start: better(starts, counts)?.[0], all: both(starts, counts) });

  const shapes = factor("box kernel", ["nei -", "ucb 2"]), kernels = Object.entries(W.kernels);
  put("kernel", !fitted || shapes.is, !fitted ? "told" : shapes.is && better(shapes, kernels) ? "other" : "se", shapes.is && { by: shapes.chosen, a: n(shapes.find("matern52")[0]), b: n(shapes.find("matern32")[0]), c: n(shapes.find("se, one")[0]), shape: better(shapes, kernels)?.[1], all: both(shapes, kernels) });

  const fits = factor(`${s.domain} fitting`, boxed ? ["nei -", "ucb 2", "ts -"] : ["ucb 2", "ts 1", "ts-rsr 1", "ei-mean -"]), cost = fits.is && fits.find("known");
  put("fitting", cost, "costs", cost && { by: fits.chosen, cost: told(cost), shown: shown(cost), count: cost[4] });

  const lengths = factor(`${s.domain} length-scale`, boxed ? ["nei -", "ucb 1", "ucb 3", "ts-rsr -"] : ["ucb 1", "ucb 2", "ucb 3", "ts 1", "ts-rsr 1", "ei-mean -", "ei -"]);
  const errors = Object.entries(W.errors);
  put("doubt", lengths.is && lengths.find("lengthscale*2"), "costs", lengths.is && lengths.find("lengthscale*2") && { by: lengths.chosen, side: W.sides[+(lengths.find("lengthscale*2")[0] > lengths.find("lengthscale/2")[0])], long: n(lengths.find("lengthscale*2")[0]), short: n(lengths.find("lengthscale/2")[0]), all: both(lengths, errors) });

  // Noise and epsilon of stopping are in standard deviations of f, which the range is a multiple of.
  const range = D.lines[Math.min(s.dim, 3) - 1], sd = s.noise * range, place = s.dim > 1 ? "square" : "line";
  const q = fitted ? nearest([0.03, 0.1, 0.3], sd) : nearest([0.1, 0.3], sd), e = fitted ? s.eps : nearest([0.1, 0.3], s.eps), flat = fitted ? nearest([1, 2, 4], s.dim) : place;
  const promise = fitted ? D.mended?.rows[`${flat} ${q} ${e}`] : D.stops[`${place} se ${q} ${e}`], far = off(sd, q) > 0.7;
  const spoken = ([median, ...v]) => fill(W.spoken[median ? "stops" : "never"], { median: n(median ?? 0), share: n(v[3]), broken: told(v, " %") });
  const ends = fitted ? promise?.answer : promise?.[0], kept = promise && !far && !!ends;
  Object.assign(at, { instead: !fitted || /^shipped(?!,)|^mixture(?! x)/.test(D.mended?.rule) ? "" : W.instead, q: n(q), e: n(e), sd: n(sd), flat: W.places[flat], by: fitted ? D.mended?.rule : W.rules.probability });
  const others = !promise ? "" : (fitted ? Object.entries(promise).filter(([name]) => name !== "answer" && name !== D.mended.rule) : [["union", promise[1]], ["1.96", promise[3]]]).map(([name, row]) => `${W.rules[name] ?? name}: ${spoken(row)}`).join("; ");
  put("stop", promise, far ? "far" : !ends ? "breaks" : `${fitted ? "fitted" : "known"}${boxed && !fitted ? "_box" : ""}`, promise && { ends: ends ? spoken(ends) : "", broken: ends ? n(ends[1]) : "", others });

  const level = nearest([0.1, 0.3, 1], sd), size = many ? 5 : 1, [whose, reading, from] = D.horizons[`${Math.min(s.dim, 2)} ${level} ${size}`];
  put("horizon", !fitted, !from ? "never" : "from", { whose, reading, from: n(from ?? 0), level: n(level), size, flatter: Math.min(s.dim, 2), points: s.dim > 1 ? 100 : 50 });

  // The program: of the rules that are level the first that the library has.
  const cells = W.cells[s.library][`${s.domain}_${s.model}`], even = rows?.filter((r) => r[4] === 2).map(([name]) => name) ?? [];
  const played = cells && even.find((name) => has(W, s, plain(name))), [by, of] = played ? plain(played) : [];
  const code = played ? program(D, { ...s, by, of, sure: kept ? stopping(W, D, s) : { values: "y = measure(x)" }, call: (W.session[by] && s.library === "cp" && !boxed ? W.session : W.call[s.library])[by], cells, initial: fewer, kept }) : "";
  const theirs = rows?.find(([name]) => name === "ei -"), lacks = !rows ? "" : s.library === "optuna" && boxed && fitted && theirs ? fill(W.optuna[code ? "can" : "cannot"], { theirs: told(theirs.slice(1)), first: told(mean), word: W.theirs[theirs[4]] }) :
    !code ? fill(W.lacks[cells ? "rule" : "world"], { library: at.library, rule: called(first) }) : played !== first ? fill(W.lacks.level, { library: at.library, rule: called(first), played: called(played) }) : "";

  const head = rows ? fill(W.headline[s.model], { ...at, rule: large(called(first)), own: own([rule, setting]), batch: rule === "bpe" ? W.batches : s.batch, mean: n(mean[0]), until: kept ? W.until[fitted ? "fitted" : "known"] : W.until.budget, points: boxed ? "initial" : "random" }) : `${parts.rule[0]}.`;
  const grey = { noise: noise !== s.noise || (boxed ? many || !fitted : fitted) ? (fitted && !D.mended ? W.grey.noise : "") : "", T: s.pay === "best" ? "" : W.grey.T, eps: promise && !far ? "" : W.grey.eps, batch: !rows && s.pay === "rounds" && !boxed ? W.grey.rounds : "", library: rows ? "" : W.grey.library };
  return { D, W, key, rows, at, parts, head, code, played, lacks, grey, first, curve: boxed && fitted ? `box ${s.pay === "every" ? "plays" : "point"} ${s.batch} ${noise} ${dim}` : `candidates point ${s.batch} ${noise}`, drawn: boxed ? fitted : s.pay === "best" && !fitted };
};

// Whether a library has a rule, in this world and with this setting: of draws all have scale 1 alone.
const has = (W, s, [rule, setting]) => {
  const session = s.library === "cp" && s.domain === "candidates";
  return rule in (session ? W.session : W.call[s.library]) && (!rule.startsWith("ts") || !(+setting !== 1 && setting !== "-")) && !(session && rule === "bpe" && s.batch > 1);
};
// How a program with a fitted model asks whether to stop: by the rule that keeps its promise, as far as cp.certificate has it; else by
// the mixture, which a theorem covers. A factor widens standard deviations; some rules ask several times, or from so many points on.
const stopping = (W, D, { model, library, dim }) => {
  const rule = D.mended?.rule ?? "", [factor, times, least] = [/ x([\d.]+)/, /(\d+) times/, /from (\d+)d/].map((part) => +(part.exec(rule)?.[1] ?? 1)), shipped = rule.startsWith("shipped");
  if (model === "known" || !W.certify[library]) return { values: "y = measure(x)" };
  const [before, asks] = W.certify[library][shipped ? "shipped" : "mixture"], often = times > 1;
  return {
    before, asks, enough: (often ? `(calm := (calm + 1) * sure.stop) >= ${times}` : "sure.stop") + (rule.includes("from") ? ` and len(y) >= ${least * dim}` : ""),
    factor: shipped && factor > 1 ? `${n(factor ** 2)} * ` : "", root: shipped && factor > 1 ? `${factor} * ` : "", values: often ? "y, calm = measure(x), 0" : "y = measure(x)",
  };
};
// Filled in; lines that begin with + are for those who stop by the certificate, with - for the others. The budget is what was measured.
const program = (D, { call, cells, kept, sure, ...s }) => {
  const q = s.batch, width = s.of === "proved" ? D.proved : s.of, T = { best: s.T, every: 100, rounds: 10 + 9 * q }[s.pay], kinds = [].concat(call);
  const at = { ...s, q, width, T, beta: n((+width) ** 2), more: q > 1 && s.by !== "ts" ? ", sequential=True" : "", zeros: `[0.0] * ${s.dim}`, ones: `[1.0] * ${s.dim}`, name: kinds[0], settings: fill(kinds.at(-1), { q, width, T }) };
  const made = fill(kinds[q > 1 ? kinds.length - 1 : 0], at), text = Object.entries(sure).reduce((found, [name, v]) => found.replaceAll(`{${name}}`, v.replaceAll("\n", "\n+")), cells);
  const lines = text.split("\n").filter((l) => l !== "+" && l[0] !== (kept ? "-" : "+")).map((l) => l.replace(/^[+-]/, ""));
  return fill(lines.join("\n"), { ...at, made, imported: made.split("(")[0], from: s.by === "ts" ? ".thompson_sampling" : "" });
};

const draw = ({ D, W, key, rows, at, parts, head, code, lacks, grey, first, curve, drawn }, s, [host]) => {
  const lines = drawn && rows ? D.curves[`${curve} ${first}`] : null, times = lines?.[0].length === 3 ? [30, 50, 100] : F.listed(10, (i) => 10 * i + 10);
  if (lines) {
    const every = s.pay === "every", beside = ["sobol -", "random -"].map((name) => [name, D.curves[`${curve} ${name}`]]).filter(([, v]) => v), top = Math.max(...lines[2], ...beside.flatMap(([, v]) => v[0]));
    const c = F.chart(host, W.axis[0], [times[0], 100], W.axis[every ? 1 : 2], [0, top * 1.05], { height: 220 });
    c.band(times, lines[0], lines[0].map((v, i) => v - lines[1][i]), 1).line(times, lines[0]).text(times[0], lines[0][0], D.names[first], "k0", "start", -12);
    beside.forEach(([name, v]) => {
      const place = name === "sobol -" ? 2 : times.length - 1;
      c.line(times, v[0], "muted", place === 2 && times.length > 3 ? "7 3" : "2 3").text(times[place], v[0][place], D.names[name], "muted", place === times.length - 1 ? "end" : "start", -8);
    });
    const until = s.pay === "rounds" ? 10 + 9 * s.batch : every ? 100 : at.plays;
    c.line([until, until], [0, top * 1.05], "accent", "6 4").show(fill(W.picture[every ? "every" : "best"], { rule: D.names[first] }));
  } else {
    const c = F.chart(host, W.place, [0.5, (rows?.length ?? 1) + 0.5], W.regret, [0, Math.max(1.1, ...(rows ?? []).map((r) => r[3]))], { height: 220 });
    (rows ?? []).forEach(([, mean, low, high, best], i) => c.line([i + 1, i + 1], [low, high], best === 0 ? "muted" : "k0").point(i + 1, mean, best === 0 ? "muted" : "k0"));
    c.show(rows ? W.ranking : W.empty);
  }
  const fold = Object.entries(parts).map(([part, [answer, why]]) => {
    const to = [`-${s.domain}-${s.model}`, `-${s.domain}`, `-${s.model}`, ""].map((of) => document.querySelector(`#evidence-${part}${of} a`)).find((a) => a)?.href;
    return `<details data-part="${part}"><summary><strong>${F.escaped(W.titles[part])}</strong> ${F.escaped(answer)}.</summary><p>${F.escaped(fill(why, at))}${to ? ` <a href="${to}">${W.link[part]}</a>` : ""}</p></details>`;
  });
  return {
    says: head, code, told: (lacks ? `<p data-part="lacks">${F.escaped(lacks)}</p>` : "") + fold.join(""), live: { rule: parts.rule[0] }, grey,
    table: rows && { caption: at.measure, head: W.head, rows: rows.map(([name, mean, low, high, mark]) => [D.names[name], mean, low, high, W.words[mark]]) },
  };
};
F.define("decide", { compute, draw, here: "Nothing is computed in your browser: all is looked up in stored tables.", controls: [
  F.menu("pay", "I pay for", { best: "the best point", every: "every play", rounds: "rounds of feedback" }),
  F.menu("model", "Model", { fitted: "fitted", known: "known" }),
  F.menu("domain", "On", { box: "a box", candidates: "candidates" }),
  F.menu("library", "Library", { botorch: "BoTorch", cp: "cp, this package", optuna: "Optuna" }),
  F.range("dim", "Dimension d", 1, 6, 1, 4),
  F.steps("noise", "Noise, share of the range of f", [0.03, 0.1, 0.3], 0.1),
  F.steps("batch", "Points a round", [1, 5, 10], 1),
  F.steps("T", "Budget of evaluations T", [30, 50, 100], 50),
  F.steps("eps", "ε, standard deviations of f", [0.1, 0.3, 0.5], 0.3),
] });
}
