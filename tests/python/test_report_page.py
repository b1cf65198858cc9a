# SPDX-License-Identifier: Apache-2.0
"""Pages of reports in a browser: nothing is cut off, all of it is reached by keys, and axe-core finds no fault."""

import networkx as nx
import pytest

import browser
import gaspipe as gp

pytestmark = pytest.mark.needs("chromium", "axe_core_python")

HOSTILE = "<script>document.title='broken'</script>" + "W" * 90


@pytest.fixture(scope="module")
def chromium():
    with browser.chromium() as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Files by name."""
    folder = tmp_path_factory.mktemp("pages")
    graph = gp.generate.rmat(10, 8, seed=3)
    plain, packed = (gp.predict("pagerank", graph, config=config) for config in ("plain", "packed"))
    hostile = gp.bfs(nx.DiGraph([(HOSTILE, 1), (1, 2)]), root=HOSTILE)
    hostile.algorithm = HOSTILE
    with gp.Accelerator("bfs", device="emulator") as accelerator:
        accelerator.acceleratorDataLoad(graph)
        accelerator.acceleratorDataPreprocess(root=0)
        profile = accelerator.acceleratorProfile(verify=True)
    reports = {
        "profile": profile.report(),
        "prediction": plain.report(),
        "comparison": plain.report(other=packed),
        "three": plain.report(other=[packed, hostile]),
        "cpu": gp.pagerank(graph, domains=3).report(),
        "blocks": gp.pagerank(graph, device="emulator:u250", design="graphops").report(),
        "local_store": gp.bfs(graph, method="local_store", device="emulator:u250").report(),
        "hostile": hostile.report(),
    }
    for name, report in reports.items():
        report.save(folder / f"{name}.html")
    notebook = "<!doctype html><html lang=en><meta charset=utf-8><title>Cells</title><main><h1>Cells</h1>{}{}</main>"
    cells = (reports["comparison"]._repr_html_(), reports["prediction"]._repr_html_())
    (folder / "notebook.html").write_text(notebook.format(*cells), encoding="utf-8")
    return folder


NAMES = ("prediction", "comparison", "three", "cpu", "blocks", "local_store", "hostile", "notebook", "profile")
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_cut_off_or_loaded(chromium, pages, name):
    for width in (1280, 390):
        page = chromium.open(pages / f"{name}.html", width=width)
        page.evaluate(OPEN_ALL)
        assert (page.errors, page.requests) == ([], [])
        assert page.scroll_width == page.inner_width == width
        assert page.overflow == []
        assert page.evaluate("document.title") != "broken"
        page.close()


@pytest.mark.parametrize("name", ["prediction", "comparison", "cpu", "hostile", "notebook", "profile"])
def test_axe_finds_no_fault(chromium, pages, name):
    is_small = name in ("cpu", "hostile", "profile")  # axe-core takes seconds for what is open
    page = chromium.open(pages / f"{name}.html", dark=name in ("cpu", "comparison"))
    page.evaluate(OPEN_ALL if is_small else "document.querySelector('details').open = true")
    assert page.axe() == []
    page.close()


# Contrast of text in drawings with what is behind it, which axe-core does not see.
CONTRAST = """(() => {
  const light = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = getComputedStyle(document.body).backgroundColor, found = [];
  for (const text of document.querySelectorAll("svg text")) {
    let behind = paper;
    const box = text.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    for (const rect of text.parentElement.querySelectorAll("rect.box, rect.pill")) {
      const area = rect.getBoundingClientRect();
      if (area.left <= x && x <= area.right && area.top <= y && y <= area.bottom) behind = getComputedStyle(rect).fill;
    }
    const [a, b] = [light(getComputedStyle(text).fill), light(behind)].sort((p, q) => q - p);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.push(text.textContent);
  }
  return found;
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_of_drawings_is_readable(chromium, pages, dark):
    page = chromium.open(pages / "prediction.html", dark=dark)
    assert page.evaluate("document.querySelectorAll('svg.pipeline text').length") > 60
    assert page.evaluate(CONTRAST) == []
    page.close()


# Texts of boxes that reach out of them, and texts that reach out of the drawing.
OUTSIDE = """(() => {
  const reaches = (inner, outer, by) => inner.left < outer.left - by || inner.right > outer.right + by;
  const box = e => e.getBoundingClientRect(), found = [];
  for (const drawing of document.querySelectorAll("svg.pipeline")) {
    for (const text of drawing.querySelectorAll("text")) if (reaches(box(text), box(drawing), 1)) found.push(text);
    for (const group of drawing.querySelectorAll("g")) {
      const last = [...group.querySelectorAll("rect.box")].pop();
      for (const text of last ? group.querySelectorAll("text.name, text.figure") : [])
        if (reaches(box(text), box(last), 0)) found.push(text);
    }
  }
  return found.map(text => text.textContent);
})()"""


@pytest.mark.parametrize("name", ["comparison", "blocks", "local_store"])
def test_texts_of_drawings_stay_inside(chromium, pages, name):
    page = chromium.open(pages / f"{name}.html")
    assert page.evaluate(OUTSIDE) == []
    page.close()


def test_keys_reach_and_work_all_of_it(chromium, pages):
    page = chromium.open(pages / "prediction.html")
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.press("Tab")
    assert page.evaluate("document.activeElement.className") == "scroll"  # the drawing
    summary = "document.querySelector('#pes summary')"
    page.evaluate(f"{summary}.focus()")
    page.press("Enter")
    assert page.evaluate(f"{summary}.parentElement.open") is True
    page.press("Tab")
    page.press("Tab")
    page.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "updates"
    page.press("Enter")
    updates = "[...document.querySelectorAll('#pes details tbody tr')].map(row => Number(row.cells[1].dataset.value))"
    shown = page.evaluate(updates)
    assert shown == sorted(shown, reverse=True)
    assert page.evaluate("document.activeElement.closest('th').getAttribute('aria-sort')") == "descending"
    page.press(" ")
    assert page.evaluate(updates) == sorted(shown)
    page.close()


def test_it_prints_with_all_that_is_closed(chromium, pages, tmp_path):
    page = chromium.open(pages / "comparison.html", width=800, print_media=True)
    assert page.pdf(tmp_path / "page.pdf").stat().st_size > 50_000
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 0
    assert page.overflow == []
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details[open]').length") == 0
    page.close()
