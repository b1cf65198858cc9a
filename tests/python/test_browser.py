# SPDX-License-Identifier: Apache-2.0
"""What the tests of pages rely on: errors, requests, widths and keys are seen."""

import pytest

import browser

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def chromium():
    with browser.chromium() as started:
        yield started


def page(folder, body, head=""):
    path = folder / "page.html"
    path.write_text(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>A page</title>{head}<body>{body}", encoding="utf-8"
    )
    return path


def test_a_page_without_faults_has_none(tmp_path, chromium):
    opened = chromium.open(page(tmp_path, "<main><h1>One</h1></main>"), width=390)
    assert (opened.errors, opened.requests, opened.overflow) == ([], [], [])
    assert opened.inner_width == opened.scroll_width == 390
    assert opened.evaluate("document.querySelector('h1').textContent") == "One"


def test_errors_and_requests_are_seen(tmp_path, chromium):
    body = "<img src='missing.png' alt=''><script>console.error('wrong'); missing()</script>"
    opened = chromium.open(page(tmp_path, body))
    assert any(error == "error: wrong" for error in opened.errors)
    assert any("missing is not defined" in error for error in opened.errors)
    assert [address.rpartition("/")[2] for address in opened.requests] == ["missing.png"]


def test_what_is_too_wide_is_seen(tmp_path, chromium):
    wide = "<div id=wide style='width:2000px'>.</div>"
    opened = chromium.open(page(tmp_path, wide))
    assert opened.scroll_width == 2008
    assert opened.overflow == ["div#wide"]
    scrolls = chromium.open(page(tmp_path, f"<div style='overflow-x:auto'>{wide}</div>"))
    assert scrolls.scroll_width == 1280
    assert scrolls.overflow == []


def test_keys_schemes_and_pictures(tmp_path, chromium):
    style = "<style>p {color: red} @media (prefers-color-scheme: dark) {p {color: blue}} @media print {p {top: 1px}}"
    path = page(tmp_path, "<p><a id=link href='#'>a</a>", f"{style}</style>")
    opened = chromium.open(path, dark=True)
    assert opened.evaluate("getComputedStyle(document.querySelector('p')).color") == "rgb(0, 0, 255)"
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.id") == "link"
    assert opened.screenshot(tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")
    assert opened.pdf(tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    printed = chromium.open(path, print_media=True)
    assert printed.evaluate("getComputedStyle(document.querySelector('p')).top") == "1px"


@pytest.mark.needs("axe_core_python")
def test_axe_finds_a_picture_without_a_text(tmp_path, chromium):
    data = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
    opened = chromium.open(page(tmp_path, f"<main><h1>One</h1><img src='{data}'></main>"))
    assert [line.partition(":")[0] for line in opened.axe()] == ["image-alt"]


def test_a_page_that_is_not_there(tmp_path, chromium):
    with pytest.raises(browser.BrowserError, match="ERR_FILE_NOT_FOUND"):
        chromium.open(tmp_path / "none.html")
