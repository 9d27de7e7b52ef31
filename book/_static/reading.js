// What is wider than the page scrolls in a box that keys reach and that says so; a figure enlarges on a click or Enter. On a
// telephone its panels stand one below the other, and lines of code are broken.
(() => {
  "use strict";
  const WIDE = {
    ".companion-scroll, .pst-scrollable-table-container, .evidence-scroll, table.docutils": "Wide table, scrolls sideways",
    "mjx-container": "Wide formula, scrolls sideways",
    "pre": "Listing, scrolls sideways",
    "a.companion-enlarge": "Figure, scrolls sideways",
  };

  // First everything is measured, then everything is changed: a change between two measures lays the page out again.
  const fit = (article) => {
    const formulas = [...article.querySelectorAll("mjx-container:not([display])")].map((formula) => {
      const block = formula.closest("p, li, td, th, dd, dt, figcaption, div, h1, h2, h3");
      const drawn = formula.querySelector("svg");
      return [formula, Boolean(block && drawn) && block.clientWidth > 0 && drawn.clientWidth > block.clientWidth];
    });
    for (const [formula, wide] of formulas) {
      if (wide !== formula.classList.contains("companion-wide")) formula.classList.toggle("companion-wide", wide);
    }
    const measured = Object.entries(WIDE).flatMap(([boxes, name]) =>
      [...article.querySelectorAll(boxes)].map((box) => [
        box,
        name,
        box.scrollWidth > box.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(box).overflowX),
      ]),
    );
    for (const [box, name, more] of measured) {
      if (more !== box.classList.contains("companion-more")) box.classList.toggle("companion-more", more);
      if (more && box.matches(".companion-scroll")) box.classList.add("companion-tight");
      // The theme takes boxes out of the order that were folded, or fitted, when the page was opened.
      if (more && box.tabIndex < 0) {
        box.tabIndex = 0;
        if (!box.hasAttribute("role")) box.setAttribute("role", "group");
        if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", name);
      }
    }
  };

  const enlarge = (link) => {
    const picture = link.querySelector("img");
    const dialog = document.createElement("dialog");
    dialog.className = "companion-large";
    dialog.setAttribute("aria-label", "Figure at full size");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    const pan = document.createElement("div");
    pan.tabIndex = 0;
    pan.className = "companion-pan";
    pan.setAttribute("role", "group");
    pan.setAttribute("aria-label", "Figure, scrolls");
    const large = document.createElement("img");
    large.src = link.href;
    large.alt = picture ? picture.alt : "";
    pan.append(large);
    dialog.append(close, pan);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      link.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  };

  // Stretches of the one picture, as its panels are listed: "0-0.2+0.6-1" is one, with names of rows from the left edge.
  const stack = (picture) => {
    const link = picture.parentElement;
    picture.dataset.panels.split(" ").forEach((panel, place) => {
      const parts = panel.split("+").map((part) => part.split("-").map(Number)), row = document.createElement("span");
      const across = parts.reduce((all, [a, b]) => all + b - a, 0);
      row.className = "companion-panel";
      for (const [a, b] of parts) {
        const part = document.createElement("span"), whole = (b - a) * picture.getAttribute("width");
        Object.assign(part.style, {
          width: `clamp(${0.85 * whole}px, ${(100 * (b - a)) / across}cqw, ${whole}px)`,
          aspectRatio: `${(b - a) * picture.getAttribute("width")} / ${picture.getAttribute("height")}`,
          background: `url("${picture.src}") ${(100 * a) / (1 - b + a)}% 0 / ${100 / (b - a)}% 100% no-repeat`,
        });
        row.append(part);
      }
      row.setAttribute("role", place ? "presentation" : "img");
      if (!place) row.setAttribute("aria-label", picture.alt);
      link.append(row);
    });
    link.classList.add("companion-stacked");
  };

  // Each line of a listing a block of its own, whose broken pieces stand further in than it begins.
  const broken = (listing) => {
    const lines = [[]];
    for (const node of [...listing.childNodes]) {
      const pieces = node.textContent.split("\n");
      pieces.forEach((piece, place) => {
        if (place) lines.push([]);
        const part = pieces.length > 1 ? node.cloneNode() : node;
        if (pieces.length > 1) part.textContent = piece;
        lines.at(-1).push(part);
      });
    }
    if (lines.at(-1).every((part) => !part.textContent)) lines.pop();
    listing.replaceChildren(...lines.map((parts) => {
      const line = document.createElement("span");
      line.className = "companion-line";
      line.append(...parts, "\n");
      const inwards = line.textContent.search(/\S|\n/) + 2;
      Object.assign(line.style, { paddingLeft: `${inwards}ch`, textIndent: `-${inwards}ch` });
      return line;
    }));
  };

  const begin = () => {
    const article = document.querySelector("article") || document.body;
    let waiting = false;
    const later = () => {
      if (!waiting) {
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          fit(article);
        });
      }
    };
    // Formulas that are typeset and folds that open change the height; turning a phone changes the width.
    new ResizeObserver(later).observe(article);
    article.addEventListener("toggle", later, true);
    later();
    const narrow = matchMedia("screen and (max-width: 600px)");
    const fold = () => {
      if (!narrow.matches) return;
      article.querySelectorAll("a:not(.companion-stacked) > img[data-panels]").forEach(stack);
      article.querySelectorAll(".highlight pre:not(:has(.companion-line))").forEach(broken);
    };
    narrow.addEventListener("change", fold);
    fold();
    article.addEventListener("click", (event) => {
      const link = event.target.closest("a.companion-enlarge");
      if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        enlarge(link);
      }
    });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
