// "Doubt this number": beside a figure, a table, the sources of a section or an entry of the evidence, one quiet button that
// prepares what to write to the authors of the book. It needs no network: the text is shown to be copied, and where the book
// names its repository, a link opens it there as an issue. Without this script the pages lack the button and nothing else.
(function () {
  "use strict";

  const LIMIT = 700;
  const one = (text) => text.replace(/\s+/g, " ").trim();
  const cut = (text) => (text.length > LIMIT ? `${text.slice(0, LIMIT)} …` : text);
  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  };

  // The text of an element without what scripts have added to it: formulas as they were written, no buttons.
  function words(element) {
    const copy = element.cloneNode(true);
    copy.querySelectorAll(".companion-doubt, .companion-from, .headerlink, mjx-assistive-mml").forEach((part) => part.remove());
    const written = (window.MathJax && window.MathJax.startup && window.MathJax.startup.document) || null;
    if (written) {
      const originals = [...element.querySelectorAll("mjx-container")];
      const items = [...written.math];
      [...copy.querySelectorAll("mjx-container")].forEach((container, place) => {
        const item = items.find((candidate) => candidate.typesetRoot === originals[place]);
        container.replaceWith(item ? `$${item.math}$` : "");
      });
    }
    return one(copy.textContent);
  }

  // The address of a place: in the book, so that it means the same for everybody.
  function permalink(identifier) {
    const root = new URL(document.documentElement.dataset.content_root || "./", window.location.href).href;
    const here = window.location.href.split(/[?#]/)[0];
    const canonical = document.querySelector('link[rel="canonical"]');
    const page = canonical ? canonical.href : here.startsWith(root) ? here.slice(root.length) : here;
    return `${page}#${identifier}`;
  }

  const KINDS = [
    {
      selector: "figure.companion-figure[id], figure.companion-table[id]",
      where: (element) => element.querySelector("figcaption"),
      name: (element) => one(element.querySelector(".companion-number").textContent),
      says: (element) => words(element.querySelector("figcaption")),
      from: (element) => {
        const link = element.querySelector(".companion-from");
        const block = link && document.getElementById(link.getAttribute("href").slice(1));
        const sources = block ? [...block.querySelectorAll(".source")] : [];
        const own = sources.filter((source) => source.querySelector(`.users a[href="#${element.id}"]`));
        return own.map((source) => `- ${words(source)}`);
      },
      identifier: (element) => element.id,
    },
    {
      selector: "details.companion-where > div[id]",
      where: (element) => element,
      name: (element) => {
        const heading = element.closest("section").querySelector("h1, h2, h3, h4");
        return `a number in “${words(heading).replace(/#$/, "")}”`;
      },
      says: () => "",
      from: (element) => [...element.querySelectorAll(".source")].map((source) => `- ${words(source)}`),
      identifier: (element) => element.closest("section").id,
    },
    {
      selector: "tr.evidence-row[id], section.evidence-lead[id]",
      where: (element) => (element.matches("tr") ? element.nextElementSibling : element).querySelector(".evidence-details"),
      name: (element) => words(element.querySelector(".evidence-title, h2, h3")).replace(/#$/, ""),
      says: (element) => [...element.querySelectorAll(":scope > td")].map(words).join(" | "),
      from: (element) => {
        const more = element.matches("tr") ? element.nextElementSibling : element;
        return [...more.querySelectorAll(".companion-where, dd code")].map((source) => `- ${words(source)}`).slice(0, 3);
      },
      identifier: (element) => element.id,
    },
  ];

  function prepared(kind, element) {
    const title = one(document.title.split("—")[0]);
    const name = kind.name(element);
    const says = cut(kind.says(element));
    const from = kind.from(element);
    const lines = [`Place: ${permalink(kind.identifier(element))} (${name})`];
    if (says) lines.push("", `It says: ${says}`);
    if (from.length) lines.push("", "Where from:", ...from);
    lines.push("", "What I doubt, and why:", "", "", "What I get instead, and how:", "", "");
    return { title: `Doubt: ${name}, ${title}`, body: lines.join("\n") };
  }

  let dialog = null;
  function open(text) {
    if (!dialog) {
      dialog = make("dialog", { class: "companion-dialog", "aria-labelledby": "companion-doubt-title" });
      document.body.append(dialog);
    }
    const area = make("textarea", { rows: "14", "aria-label": "The prepared text" });
    area.value = `${text.title}\n\n${text.body}`;
    const told = make("p", { role: "status", "aria-live": "polite", class: "companion-told" });
    const copy = make("button", { type: "button", class: "companion-button" }, "Copy the text");
    copy.addEventListener("click", async () => {
      area.select();
      try {
        await navigator.clipboard.writeText(area.value);
        told.textContent = "Copied.";
      } catch (error) {
        // Pages opened from a folder may not have the clipboard; the older way works there.
        told.textContent = document.execCommand("copy") ? "Copied." : "Marked: copy it with your keyboard.";
      }
    });
    const close = make("button", { type: "button", class: "companion-button" }, "Close");
    close.addEventListener("click", () => dialog.close());
    const buttons = make("p", { class: "companion-buttons" }, copy);
    const repository = document.querySelector('meta[name="companion-repository"]');
    if (repository) {
      const query = new URLSearchParams({ title: text.title, body: text.body });
      const address = `${repository.content.replace(/\/$/, "")}/issues/new?${query}`;
      buttons.append(make("a", { href: address, target: "_blank", rel: "noopener" }, "Open it as an issue"));
    }
    buttons.append(close);
    const what = repository
      ? "Complete the text, then open it as an issue or copy it."
      : "Complete the text, copy it, and send it to whoever gave you this book.";
    dialog.replaceChildren(
      make("h2", { id: "companion-doubt-title" }, "Doubt this number"),
      make("p", {}, what),
      area,
      buttons,
      told,
    );
    dialog.showModal();
    area.focus();
    area.setSelectionRange(0, 0);
    area.scrollTop = 0;
  }

  function begin() {
    KINDS.forEach((kind) => {
      document.querySelectorAll(kind.selector).forEach((element) => {
        const button = make("button", { type: "button", class: "companion-doubt" }, "doubt this number");
        button.addEventListener("click", () => open(prepared(kind, element)));
        kind.where(element).append(" ", button);
      });
    });
    // A link to the sources of a section opens them, in browsers that do not do so by themselves.
    const reveal = () => {
      const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
      const details = target && target.closest("details");
      if (details) {
        details.open = true;
        target.scrollIntoView({ block: "nearest" });
      }
    };
    window.addEventListener("hashchange", reveal);
    reveal();
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
