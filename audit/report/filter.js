"use strict";
/* Filters the folds by words and by verdict, opens the folds around what a link leads to, and all of them for paper. */
document.addEventListener("DOMContentLoaded", () => {
  const list = document.getElementById("folds");
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target; fold; fold = fold.parentElement && fold.parentElement.closest("details"))
      if (fold.tagName === "DETAILS") fold.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", open);
  open();
  if (!list) return;
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...list.querySelectorAll(".fold:not([open])")];
    closed.forEach((fold) => { fold.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((fold) => { fold.open = false; }));
  const form = document.createElement("form");
  form.className = "filters";
  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "words, such as: wang2020 transcript";
  words.setAttribute("aria-label", "Words");
  const verdict = document.createElement("select");
  verdict.setAttribute("aria-label", "Verdict");
  for (const name of ["any verdict", "REFUTED", "NOT REFUTED", "DIFFERS", "NO DIFFERENCE", "unexpected"]) verdict.add(new Option(name));
  const all = document.createElement("button");
  all.type = "button";
  all.textContent = "open all";
  all.addEventListener("click", () => list.querySelectorAll(".fold").forEach((fold) => { fold.open = true; }));
  form.append(words, verdict, all);
  form.addEventListener("submit", (event) => event.preventDefault());
  list.before(form);
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const fold of list.children) {
      const name = fold.querySelector("summary strong").textContent.toLowerCase();
      let shown = 0;
      for (const row of fold.querySelectorAll(".verdicts tbody tr")) {
        const text = `${name} ${row.textContent.toLowerCase()}`;
        const badge = row.querySelector(".badge");
        const fits = verdict.value === "any verdict" || badge.textContent.startsWith(verdict.value)
          || (verdict.value === "unexpected" && badge.classList.contains("unexpected"));
        row.hidden = !(fits && wanted.every((word) => text.includes(word)));
        shown += row.hidden ? 0 : 1;
      }
      fold.hidden = shown === 0;
    }
  };
  form.addEventListener("input", filter);
});
