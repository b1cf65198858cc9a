# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: it builds without a warning, its links lead somewhere, a browser shows it whole, and axe
finds nothing against WCAG 2 AA.
"""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import browser
from tools import REPOSITORY, whole

pytestmark = [pytest.mark.slow, pytest.mark.needs("sphinx", "furo", "myst_nb", "sphinx_copybutton")]

# One of each kind: text, a session, wide tables, the drawing, a function, a class, a notebook, what lies outside docs/.
SHOWN = [
    "docs/index",
    "docs/tutorial",
    "docs/algorithms",
    "docs/pipeline",
    "docs/cpp",
    "docs/api",
    "docs/api/gaspipe.bfs",
    "docs/api/gaspipe.Graph",
    "notebooks/05_predict_a_card",
    "benchmarks/results/algorithms",
    "CONTRIBUTING",
]
# On a telephone all; in a wide window, where all pages have the same frame, those that differ most.
WIDE = ("docs/pipeline", "docs/api", "notebooks/05_predict_a_card", "benchmarks/results/algorithms")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built folder."""
    folder = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, REPOSITORY / "docs" / "build.py", folder]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder.parent, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stderr.lower(), done.stderr
    return folder


class Links(HTMLParser):
    """What a page refers to, what it loads, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag in ("link", "script", "img", "source", "iframe", "video", "object"):
            address = attributes.get("src") or attributes.get("href") or attributes.get("data")
            if address:
                self.loaded.append(address)


@pytest.fixture(scope="module")
def pages(site):
    """{page: Links} of the site."""
    found = {path: Links(path) for path in site.rglob("*.html")}
    assert len(found) > 150
    return found


def test_links_lead_to_a_page_or_a_file_and_their_anchors_exist(pages):
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "data", "mailto"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                broken.append(f"{path}: {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{path}: {link}, an anchor that is not there")
    assert not broken, "\n".join(broken)


def test_nothing_is_loaded_from_other_hosts(site, pages):
    for path, page in pages.items():
        assert not [address for address in page.loaded if urlsplit(address).netloc], path
    for style in site.rglob("*.css"):
        assert "url(http" not in style.read_text(encoding="utf-8"), style


def test_first_page_leads_to_the_documentation(site, pages):
    assert "docs/index.html" in pages[site / "index.html"].links


def test_notebooks_are_shown_with_their_stored_outputs(site):
    for notebook in (REPOSITORY / "notebooks").glob("*.ipynb"):
        text = (site / "notebooks" / f"{notebook.stem}.html").read_text(encoding="utf-8")
        assert "cell_output" in text, notebook
        assert "<img " in text, notebook


@pytest.fixture(scope="module")
def chromium():
    with browser.chromium() as started:
        yield started


@pytest.mark.needs("chromium", "axe_core_python")
@pytest.mark.parametrize(
    ("name", "width"),
    [(name, width) for name in SHOWN for width in (1280, 390) if width < 1280 or name in WIDE or whole()],
)
def test_browser_shows_a_page_whole_and_without_errors(site, chromium, name, width):
    page = chromium.open(site / f"{name}.html", width=width)
    try:
        assert not page.errors
        assert all(address.startswith("file:") for address in page.requests)
        assert page.scroll_width <= page.inner_width == width
        # The theme keeps its lists of contents beside the window until they are asked for.
        assert not [element for element in page.overflow if "toc-" not in element]
        assert page.evaluate("document.querySelectorAll('h1').length") == 1
        assert page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0 && i.alt)")
        assert not page.axe()
    finally:
        page.close()
