// Evidence pages: filters, formulas that are typeset as they unfold, and the way from old addresses to new ones.
//
// Filters. Without this script the tables stand in full; with it, the reader's choice is kept in
// the address, so that a filtered table can be shared. Rows carry their facets as classes: "facet-<name>--<value>".
(function () {
  "use strict";

  const SEARCH = "q";
  const LABELS = { paper: "Chapter", whose: "Whose", kind: "Kind", status: "Status", verdict: "Verdict", assumed: "If spread as ours" };
  const words = (token) => token.replace(/[-_]/g, " ");
  const facet = (element, name) => {
    const prefix = `facet-${name}--`;
    const found = [...element.classList].find((item) => item.startsWith(prefix));
    return found ? found.slice(prefix.length) : "";
  };
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  };

  function start(place) {
    const rows = [...document.querySelectorAll("tr.evidence-row")];
    // A filter that no row of the page has would be empty.
    const names = place.dataset.facets.split(" ").filter((name) => rows.some((row) => facet(row, name)));
    // A row of numbers, and the row below it that unfolds.
    const entries = rows.map((row) => {
      const more = row.nextElementSibling;
      const text = [row, more].map((part) => part.textContent).join(" ").toLowerCase();
      return { row, more, text, values: Object.fromEntries(names.map((name) => [name, facet(row, name)])) };
    });
    if (!entries.length) return;

    const title = (name, value) => {
      const chapter = name === "paper" && document.querySelector(`.evidence-chapter.facet-paper--${value}`);
      const heading = chapter && chapter.querySelector("h2");
      return heading ? heading.firstChild.textContent.trim() : words(value);
    };
    const selects = {};
    const form = make("form", { role: "search", "aria-label": "Filter the entries" });
    names.forEach((name) => {
      const values = [...new Set(entries.map((entry) => entry.values[name]))].filter(Boolean);
      // Chapters stay in the order of the page.
      if (name !== "paper") values.sort();
      const select = make("select", { name, id: `evidence-${name}` }, make("option", { value: "" }, "all"));
      values.forEach((value) => select.append(make("option", { value }, title(name, value))));
      form.append(make("label", { for: select.id }, LABELS[name] || words(name), select));
      selects[name] = select;
    });
    const search = make("input", { type: "search", name: SEARCH, id: "evidence-q", autocomplete: "off" });
    form.append(make("label", { for: search.id }, "Text", search));
    const reset = make("button", { type: "button" }, "Show all");
    form.append(reset);
    const count = make("p", { role: "status", "aria-live": "polite", class: "evidence-shown" });
    place.append(form, count);

    function read() {
      const query = new URLSearchParams(window.location.search);
      names.forEach((name) => {
        const value = query.get(name) || "";
        // A value that no row has would hide everything without saying why.
        selects[name].value = [...selects[name].options].some((option) => option.value === value) ? value : "";
      });
      search.value = query.get(SEARCH) || "";
    }

    function write() {
      const query = new URLSearchParams(window.location.search);
      [...names.map((name) => [name, selects[name].value]), [SEARCH, search.value.trim()]].forEach(([name, value]) => {
        if (value) query.set(name, value);
        else query.delete(name);
      });
      const text = query.toString();
      const address = window.location.pathname + (text ? `?${text}` : "") + window.location.hash;
      try {
        window.history.replaceState(null, "", address);
      } catch (error) {
        // Some browsers refuse this for pages opened from a folder; the filters work without it.
      }
    }

    function show() {
      const needle = search.value.trim().toLowerCase();
      let shown = 0;
      entries.forEach(({ row, more, text, values }) => {
        const fits = names.every((name) => !selects[name].value || selects[name].value === values[name]);
        const visible = fits && (!needle || text.includes(needle));
        row.hidden = more.hidden = !visible;
        shown += visible ? 1 : 0;
      });
      // A part or a chapter without a visible row goes too, but one without any evidence stays unless another is asked for.
      document.querySelectorAll(".evidence-part, .evidence-chapter").forEach((part) => {
        const rows = [...part.querySelectorAll("tr.evidence-row")];
        const other = selects.paper && selects.paper.value && selects.paper.value !== facet(part, "paper");
        const empty = rows.length ? rows.every((row) => row.hidden) : part.matches(".evidence-chapter") && other;
        part.hidden = Boolean(empty);
      });
      count.textContent = `Showing ${shown} of ${entries.length} entries.`;
      count.classList.toggle("evidence-none", shown === 0);
    }

    function clear() {
      names.forEach((name) => (selects[name].value = ""));
      search.value = "";
    }

    function reveal() {
      const target = named();
      const entry = target && entries.find(({ row, more }) => row.contains(target) || more.contains(target));
      if (!entry) return;
      if (entry.row.hidden) {
        clear();
        write();
        show();
      }
      const details = entry.more.querySelector("details");
      if (details) details.open = true;
      entry.row.scrollIntoView({ block: "start" });
    }

    const update = () => {
      write();
      show();
    };
    form.addEventListener("input", update);
    form.addEventListener("change", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    reset.addEventListener("click", () => {
      clear();
      update();
    });
    window.addEventListener("popstate", () => {
      read();
      show();
    });
    window.addEventListener("hashchange", reveal);
    read();
    show();
    reveal();
  }

  const named = () => document.getElementById(decodeURIComponent(window.location.hash.slice(1)));

  // Entries were once on one page for all papers: an old address is led to where they are now.
  function forward(place) {
    const pages = JSON.parse(place.dataset.pages);
    const query = new URLSearchParams(window.location.search);
    const prefix = `${place.dataset.kind}-`;
    const hash = decodeURIComponent(window.location.hash.slice(1));
    const paper =
      query.get("paper") || Object.keys(pages).find((name) => hash.startsWith(`${prefix}${name}-`)) || "";
    if (!pages[paper]) return;
    query.delete("paper");
    const rest = query.toString();
    window.location.replace(pages[paper] + (rest ? `?${rest}` : "") + window.location.hash);
  }

  // Folded formulas are typeset when they are unfolded. MathJax passes over what has the one class and not the other.
  const FOLDED = "mathjax_ignore";
  const LATER = "math-later";
  function postpone(details) {
    details.querySelectorAll(".math").forEach((formula) => formula.classList.replace("math", LATER));
    details.classList.add(FOLDED);
  }

  function typeset(details) {
    if (!details.classList.contains(FOLDED)) return Promise.resolve();
    details.classList.remove(FOLDED);
    // A table folded inside is shown by its own unfolding.
    details.querySelectorAll(`.${LATER}`).forEach((formula) => formula.classList.replace(LATER, "math"));
    const ready = (window.MathJax && window.MathJax.startup && window.MathJax.startup.promise) || null;
    return ready ? ready.then(() => window.MathJax.typesetPromise([details])) : Promise.resolve();
  }

  // For checks and for printing: everything unfolded and typeset.
  const all = () => [...document.querySelectorAll("details.evidence-details")];
  window.companionUnfold = () => {
    all().forEach((details) => (details.open = true));
    return all().reduce((before, details) => before.then(() => typeset(details)), Promise.resolve());
  };

  function begin() {
    document.querySelectorAll(".evidence-moved").forEach(forward);
    all()
      .filter((details) => !details.open && !details.parentElement.closest("details.evidence-details"))
      .forEach(postpone);
    document.addEventListener("toggle", (event) => event.target.open && typeset(event.target), true);
    document.querySelectorAll(".evidence-filters").forEach(start);
    // An entry with a heading of its own, on the pages without a table.
    const reveal = () => {
      const target = named();
      const lead = target && target.closest(".evidence-lead");
      const details = lead && lead.querySelector("details.evidence-details");
      if (!details) return;
      details.open = true;
      typeset(details).then(() => lead.scrollIntoView({ block: "start" }));
    };
    window.addEventListener("hashchange", reveal);
    reveal();
  }
  // At once where it is deferred, as MathJax is, which comes after it and is to find folded formulas put off.
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
