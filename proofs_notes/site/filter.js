/* Filters lists of claims by the values in their classes ("kind--privacy") and by words. Needs no network. */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  for (const list of document.querySelectorAll("div.claims")) {
    const rows = [...list.querySelectorAll(".claim-row")].map((element) => ({ element, text: element.textContent.toLowerCase() }));
    const chosen = new URLSearchParams(location.search);
    const form = document.createElement("form");
    form.className = "filters";
    form.addEventListener("submit", (event) => event.preventDefault());
    const words = document.createElement("input");
    words.type = "search";
    words.placeholder = "words, such as: theorem 2";
    words.setAttribute("aria-label", "Words");
    words.value = chosen.get("words") || "";
    form.append(words);
    const selects = {};
    for (const field of ["paper", "verdict", "kind", "weight", "scope"]) {
      const values = new Map();
      for (const { element } of rows)
        for (const name of element.classList)
          if (name.startsWith(`${field}--`)) values.set(name, (values.get(name) || 0) + 1);
      if (values.size < 2) continue;
      const select = document.createElement("select");
      select.setAttribute("aria-label", field);
      select.add(new Option(`any ${field}`, ""));
      for (const [name, count] of values) select.add(new Option(`${name.slice(field.length + 2).replaceAll("-", " ")} (${count})`, name));
      if (values.has(`${field}--${chosen.get(field)}`)) select.value = `${field}--${chosen.get(field)}`;
      selects[field] = select;
      form.append(select);
    }
    const count = document.createElement("output");
    form.append(count);
    list.before(form);
    const filter = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { element, text } of rows) {
        const fits = wanted.every((word) => text.includes(word));
        const hidden = !fits || Object.values(selects).some((select) => select.value && !element.classList.contains(select.value));
        element.hidden = hidden;
        shown += hidden ? 0 : 1;
      }
      count.textContent = `${shown} of ${rows.length}`;
    };
    form.addEventListener("input", filter);
    filter();
  }
});
