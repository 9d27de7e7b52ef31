// Runs in the page for paper once it is typeset: whatever is wider than its column is made smaller. Returns what is wrong.
async () => {
  await document.fonts.ready;
  await window.MathJax.startup.promise;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => null)));
  // Somebody who listens hears a formula as it was written; in a heading, which becomes a bookmark, its letters alone.
  const letters = (formula) => new DOMParser().parseFromString(MathJax.startup.toMML(formula.root), "text/xml").documentElement.textContent;
  for (const formula of window.MathJax.startup.document.math) {
    const drawn = formula.typesetRoot.querySelector("svg");
    if (!drawn) continue;
    drawn.removeAttribute("aria-hidden");
    drawn.setAttribute("role", "img");
    const heading = drawn.closest("h1, h2, h3, h4, h5, h6");
    drawn.setAttribute("aria-label", heading ? letters(formula).replace(/\s+/g, " ").trim() : formula.math.trim());
  }
  // From where something begins to the end of what it stands in.
  const room = (element) => {
    const holder = element.parentElement.closest("td, th, li, dd, .admonition, .fold, section.page, body");
    const end = holder.getBoundingClientRect().right - parseFloat(getComputedStyle(holder).paddingRight);
    return end - element.getBoundingClientRect().left;
  };
  const wide = [...document.querySelectorAll("mjx-container")].map((box) => {
    const drawn = box.querySelector("svg");
    return [drawn, drawn ? Math.min(room(drawn), room(box)) : 0, drawn ? drawn.getBoundingClientRect().width : 0];
  });
  for (const [drawn, space, width] of wide) {
    // What stays below half of its size would not be read: a table takes the width that its formulas need.
    if (drawn && width > space && space > width / 2) {
      drawn.style.width = `${space}px`;
      drawn.style.height = "auto";
    }
  }
  const tables = [...document.querySelectorAll("table")].filter((table) => !table.parentElement.closest("table"));
  // Smaller letters break lines elsewhere, so that the first guess may be too large.
  for (let times = 0; times < 5; times += 1) {
    const measured = tables.map((table) => [table, room(table), table.getBoundingClientRect().width]);
    for (const [table, space, width] of measured) {
      if (width > space + 1) table.style.zoom = String(((Number(table.style.zoom) || 1) * space * 0.99) / width);
    }
  }
  const problems = [];
  for (const formula of document.querySelectorAll(".math")) {
    if (!formula.querySelector("mjx-container")) problems.push(`untypeset: ${formula.textContent.slice(0, 80)}`);
  }
  for (const wrong of document.querySelectorAll("[data-mml-node=merror]")) problems.push(`TeX error: ${wrong.textContent}`);
  for (const image of document.images) if (!image.naturalWidth) problems.push(`no picture: ${image.getAttribute("src")}`);
  for (const section of document.querySelectorAll("section.page, section.title, nav.book-contents")) {
    const over = section.scrollWidth - section.clientWidth;
    if (over > 2) problems.push(`${section.id || section.className}: ${over} pixels wider than its column`);
  }
  return problems;
}
