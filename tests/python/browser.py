# SPDX-License-Identifier: Apache-2.0
"""Local pages in Debian's Chromium, without a display or a network: what they log, load, show, and how wide they are.

    with browser.chromium() as chromium:
        page = chromium.open("page.html", width=390)
        assert not page.errors and not page.requests and not page.overflow

Tests that use it are marked `@pytest.mark.needs("chromium")`. It is driven over its debugging pipe (the DevTools
protocol) with the standard library alone.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMMAND = "chromium"
SECONDS = 60  # that one command to the browser may take, on a busy machine

_OPTIONS = (
    "--headless",
    "--no-sandbox",  # CI is root in a container, and the pages are our own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
_START = "import os, sys; [os.dup2(int(sys.argv[n]), n + 2) for n in (1, 2)]; os.execvp(sys.argv[3], sys.argv[3:])"
# Elements that reach over the right edge of the page, unless something around them scrolls or clips.
_OVERFLOW = """(() => {
  const found = [], width = document.documentElement.clientWidth;
  const held = e => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
    if (getComputedStyle(p).overflowX !== "visible") return true; return false; };
  for (const e of document.body.querySelectorAll("*")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !held(e)) found.push(e.tagName.toLowerCase() + (e.id ? "#" + e.id : "")
      + (typeof e.className === "string" && e.className ? "." + e.className.split(" ").join(".") : ""));
  }
  return found;
})()"""


class BrowserError(Exception):
    """The browser refused a command, ended, or took too long."""


class Page:
    """A page that is open."""

    def __init__(self, browser: Chromium, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target
        #: Errors and warnings of the console, exceptions of scripts, what could not be loaded.
        self.errors: list[str] = []
        #: What the page asked for besides itself and data: addresses.
        self.requests: list[str] = []

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression, as JSON has it; a promise is awaited."""
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(_exception(answer["exceptionDetails"]))
        return answer["result"].get("value")

    @property
    def scroll_width(self) -> int:
        """Width of all that the page shows, in pixels: above `inner_width`, it scrolls sideways."""
        return int(self.evaluate("document.scrollingElement.scrollWidth"))

    @property
    def inner_width(self) -> int:
        """Width of the window, in pixels."""
        return int(self.evaluate("window.innerWidth"))

    @property
    def overflow(self) -> list[str]:
        """Elements that reach over the right edge; what scrolls by itself is none."""
        return list(self.evaluate(_OVERFLOW))

    def press(self, key: str) -> None:
        """Press a key by its name in browsers: "Tab", "Enter", "Escape", "ArrowDown"."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, " ": 32}.get(key, 0)
        text = {"Enter": "\r", " ": " "}.get(key)
        down = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **down)
            down = {}

    def screenshot(self, path: str | os.PathLike[str], full: bool = True) -> Path:
        """Write a PNG: of the whole page, or of what the window shows."""
        how: dict[str, Any] = {"format": "png"}
        if full:
            size = self.evaluate("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
            clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 16000), "scale": 1}
            how |= {"captureBeyondViewport": True, "clip": clip}
        return _written(path, self._call("Page.captureScreenshot", **how))

    def pdf(self, path: str | os.PathLike[str]) -> Path:
        """Write what a printer would get."""
        return _written(path, self._call("Page.printToPDF", printBackground=True))

    def axe(self) -> list[str]:
        """Return what axe-core finds against WCAG 2 A and AA; a line for each violation and element."""
        spec = importlib.util.find_spec("axe_core_python")
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError("axe_core_python is missing; pip install axe-core-python")
        self.evaluate((Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8") + "; 0")
        found = self.evaluate(
            'axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],'
            ' resultTypes: ["violations"]}).then(r => r.violations.flatMap(v => v.nodes.map('
            'n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))'
        )
        return list(found)

    def close(self) -> None:
        """Close it; others stay open."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def _event(self, method: str, values: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(_exception(values["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            texts = [str(value.get("value", value.get("description", ""))) for value in values["args"]]
            self.errors.append(f"{values['type']}: {' '.join(texts)}")
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            entry = values["entry"]
            self.errors.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}".strip())
        elif method == "Network.requestWillBeSent" and values["type"] != "Document":
            address = values["request"]["url"]
            if not address.startswith("data:"):
                self.requests.append(address)


class Chromium:
    """A browser that runs; `chromium()` starts one."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, from_: int) -> None:
        self._process, self._to, self._from = process, to, from_
        self._rest = b""
        self._last = 0
        self._pages: dict[str, Page] = {}
        self._events: list[tuple[str, str]] = []

    def open(
        self,
        path: str | os.PathLike[str],
        width: int = 1280,
        height: int = 900,
        *,
        dark: bool = False,
        print_media: bool = False,
    ) -> Page:
        """Open a file, or an address, in a window of that size, and wait until it is loaded.

        Parameters
        ----------
        path : str or path
            A file, or an address with "://".
        width, height : int
            Of the window, in pixels.
        dark : bool
            The user prefers dark pages.
        print_media : bool
            As for a printer.

        """
        address = os.fspath(path)
        if "://" not in address:
            address = Path(address).resolve().as_uri()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", session, **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        media = "print" if print_media else "screen"
        self.call("Emulation.setEmulatedMedia", session, media=media, features=[scheme])
        self._events.clear()
        answer = self.call("Page.navigate", session, url=address)
        if "errorText" in answer:
            raise BrowserError(f"{address}: {answer['errorText']}")
        deadline = time.monotonic() + SECONDS
        while (session, "Page.loadEventFired") not in self._events:
            self._receive(deadline, f"loading {address}")
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
        return page

    def call(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol; return its answer."""
        self._last += 1
        number = self._last
        command = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        deadline = time.monotonic() + SECONDS
        while True:
            message = self._receive(deadline, method)
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return dict(message["result"])

    def _receive(self, deadline: float, what: str) -> dict[str, Any]:
        """Return the next message; events reach their page."""
        while b"\0" not in self._rest:
            if not select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise BrowserError(f"{what}: no answer in {SECONDS} s")
            data = os.read(self._from, 1 << 20)
            if not data:
                raise BrowserError(f"{what}: the browser ended, exit code {self._process.poll()}")
            self._rest += data
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        session = message.get("sessionId", "")
        if "method" in message:
            self._events.append((session, message["method"]))
            if session in self._pages:
                self._pages[session]._event(message["method"], message["params"])
        return message


@contextlib.contextmanager
def chromium() -> Iterator[Chromium]:
    """Start a browser with a profile of its own; at the end it and its profile are gone."""
    # The browser reads commands from file descriptor 3 and writes to 4, which may be taken here.
    for_browser, to = os.pipe()
    from_, by_browser = os.pipe()
    high = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 10) for number in (for_browser, by_browser)]
    start = [sys.executable, "-ISc", _START, *map(str, high)]  # a preexec_fn is not for processes with threads
    with tempfile.TemporaryDirectory(prefix="gaspipe-browser-", ignore_cleanup_errors=True) as folder:
        environment = os.environ | {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
        with open(os.path.join(folder, "log"), "wb") as log:
            process = subprocess.Popen(
                [*start, COMMAND, *_OPTIONS, f"--user-data-dir={folder}/profile"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                pass_fds=high,
                start_new_session=True,
            )
        for number in (for_browser, by_browser, *high):
            os.close(number)
        try:
            yield Chromium(process, to, from_)
        finally:
            os.close(to)  # at which it ends
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(from_)


def _exception(details: dict[str, Any]) -> str:
    return str(details.get("exception", {}).get("description", details["text"]))


def _written(path: str | os.PathLike[str], answer: dict[str, Any]) -> Path:
    target = Path(path)
    target.write_bytes(base64.b64decode(answer["data"]))
    return target
