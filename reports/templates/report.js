(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = document.querySelector("form.filter");
  const search = document.getElementById("q");
  const found = form.querySelector(".found");
  const nothing = document.querySelector(".nothing");
  document.documentElement.classList.add("scripted");

  const rules = all("details.rule").map((element) => {
    const eras = {};
    for (const [name, value] of Object.entries(element.dataset)) {
      if (name.startsWith("era-")) {
        const [era, verdict] = value.split("=");
        eras[era] = verdict;
      }
    }
    return { element, eras, verdict: element.dataset.verdict, level: element.dataset.level, text: null };
  });
  const groups = all("section.group");

  const textOf = (rule) => {
    if (rule.text === null) {
      const parts = all(":scope > summary .say, .title, :scope > .detail > .about", rule.element);
      rule.text = parts.map((part) => part.textContent).join(" ").toLowerCase();
    }
    return rule.text;
  };

  const apply = () => {
    const data = new FormData(form);
    const verdicts = data.getAll("verdict");
    const era = data.get("era") || "";
    const level = data.get("level") || "";
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const rule of rules) {
      const verdict = era ? rule.eras[era] : rule.verdict;
      const fits =
        verdict !== undefined &&
        (!verdicts.length || verdicts.includes(verdict)) &&
        (!level || rule.level === level) &&
        words.every((word) => textOf(rule).includes(word));
      rule.element.hidden = !fits;
      count += fits;
    }
    for (const scenario of all("[data-era]")) scenario.hidden = era !== "" && scenario.dataset.era !== era;
    for (const group of groups) group.hidden = !group.querySelector("details.rule:not([hidden])");
    found.textContent = count === rules.length ? "" : `${count} of ${rules.length} rules`;
    nothing.hidden = count > 0 || rules.length === 0;
  };

  const showAll = () => {
    form.reset();
    apply();
  };

  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.matches("details.rule")) return;
    if (target.hidden) showAll();
    target.open = true;
    target.scrollIntoView({ block: "start" });
    target.querySelector("summary").focus({ preventScroll: true });
  };

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  nothing.querySelector("button").addEventListener("click", showAll);
  window.addEventListener("hashchange", open);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.matches("input, textarea")) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && event.target === search) {
      search.value = "";
      apply();
    }
  });
  document.addEventListener("click", async (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) open();
    const button = event.target.closest(".copy button");
    if (!button) return;
    const text = button.parentElement.querySelector("pre");
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1600);
  });
  apply();
  open();
})();
