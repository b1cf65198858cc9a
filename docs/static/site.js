// SPDX-License-Identifier: Apache-2.0
// What scrolls sideways can be reached by the keyboard, and what stands beside the text has a name.
addEventListener("load", () => {
  const mark = () => {
    for (const element of document.querySelectorAll("pre, .table-wrapper, .wide, .output")) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    }
  };
  const names = { ".sidebar-drawer": "Pages", ".toc-drawer": "On this page", ".footnote-list": "References" };
  for (const [selector, name] of Object.entries(names)) {
    document.querySelector(selector)?.setAttribute("aria-label", name);
  }
  mark();
  addEventListener("resize", mark);
});
