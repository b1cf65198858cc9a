/* SPDX-License-Identifier: Apache-2.0
   Sorts tables by a column, and opens what is closed before printing. */
"use strict";
for (const head of document.querySelectorAll("th[data-sort]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  button.title = "Sort by this column";
  head.replaceChildren(button);
  button.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") === "descending";
    const column = head.cellIndex, body = head.closest("table").tBodies[0];
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = row => {
      const cell = row.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const rows = [...body.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return up ? order : -order;
    });
    body.append(...rows);
  });
}
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const one of opened) one.open = true;
});
window.addEventListener("afterprint", () => { for (const one of opened) one.open = false; });
