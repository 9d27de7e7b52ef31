// What is wider than the page scrolls in a box that keys reach and that says so; a figure enlarges on a click or Enter, and on a
// telephone its panels stand one below the other.
(() => {
  "use strict";
  const WIDE = {
    ".companion-scroll, .pst-scrollable-table-container, .evidence-scroll, table.docutils": "Wide table, scrolls sideways",
    "mjx-container": "Wide formula, scrolls sideways",
    "pre": "Listing, scrolls sideways",
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
      row.style.width = `min(100%, ${across * picture.getAttribute("width")}px)`;
      for (const [a, b] of parts) {
        const part = document.createElement("span");
        Object.assign(part.style, {
          width: `${(100 * (b - a)) / across}%`,
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
    const stackAll = () => {
      if (narrow.matches) article.querySelectorAll("a:not(.companion-stacked) > img[data-panels]").forEach(stack);
    };
    narrow.addEventListener("change", stackAll);
    stackAll();
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
