"""A headless Chromium, driven by its DevTools protocol: a page, its pixels, clicks and keys, and what it asked for.

Looked for in the environment variable `MOTRIX_CHROMIUM`, on the path, and where `make browser` unpacks one. Pictures
need WebGL, which the browser computes on the CPU here.
"""

from __future__ import annotations

import base64
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "openmotrix" / "chromium" / "chromium"
HOW_TO_GET_ONE = "no Chromium: `make browser` unpacks one (Debian, Ubuntu), or name one in MOTRIX_CHROMIUM"
#: Longer than a browser on a busy machine takes to start, seconds.
PATIENCE = 60.0


class NoBrowserError(Exception):
    """There is none, or it does not start."""


def find() -> str:
    """The program."""
    if given := os.environ.get("MOTRIX_CHROMIUM"):
        return given
    on_path = (shutil.which(name) for name in NAMES)
    if program := next(filter(None, [*on_path, str(CACHE) if CACHE.exists() else None]), None):
        return program
    raise NoBrowserError(HOW_TO_GET_ONE)


class Chromium:
    """A running browser."""

    def __init__(self, folder: Path) -> None:
        self._net_log = folder / "net_log.json"
        options = [
            "--headless",
            "--no-sandbox",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-dev-shm-usage",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--force-device-scale-factor=1",
            "--remote-debugging-port=0",
            "--remote-allow-origins=*",
            f"--user-data-dir={folder / 'profile'}",
            f"--log-net-log={self._net_log}",
        ]
        self._errors = folder / "errors.txt"
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen([find(), *options, "about:blank"], stdout=errors, stderr=errors)
        self._port = self._port_of(folder / "profile" / "DevToolsActivePort")

    def _port_of(self, file: Path) -> int:
        """The port that the browser chose, which it writes into a file."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            if file.exists() and (lines := file.read_text().splitlines()):
                return int(lines[0])
            time.sleep(0.02)
        self._process.kill()
        raise NoBrowserError(f"{find()} does not start: {self._errors.read_text()[-300:]}")

    def open(self, url: str, width: int = 640, height: int = 400) -> Page:
        """A new page."""
        return Page(self._port, url, width, height)

    def requests(self) -> list[str]:
        """Every address that the browser asked for, by all of its pages and workers."""
        # The log is written line by line and may still be growing, so that it is no JSON yet.
        jobs = (line for line in self._net_log.read_text().splitlines() if '"url":' in line)
        return sorted({match for line in jobs for match in re.findall(r'"url":"((?:http|ws)s?:[^"]*)"', line)})

    def close(self) -> None:
        """Ends it."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Page:
    """A page of the browser."""

    def __init__(self, port: int, url: str, width: int, height: int) -> None:
        from websockets.sync.client import connect

        self._pages = f"http://127.0.0.1:{port}/json"
        new = urllib.request.Request(f"{self._pages}/new?about:blank", method="PUT")
        self._target = json.load(urllib.request.urlopen(new, timeout=PATIENCE))
        self._socket = connect(self._target["webSocketDebuggerUrl"], max_size=None, open_timeout=PATIENCE)
        self._numbers = itertools.count()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.enable")
        self.call("Page.navigate", url=url)
        # Until the new page has begun, there is nothing to take a picture of.
        end = time.monotonic() + PATIENCE
        while self.ask("location.href") == "about:blank" or not self.ask("document.body !== null"):
            assert time.monotonic() < end, f"{url} does not open"

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the DevTools protocol, and its answer. Events that come meanwhile are dropped."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return dict(answer["result"])

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self) -> str:
        """What is written on it."""
        return str(self.ask("document.body?.innerText ?? ''"))

    def pixels(self) -> np.ndarray:
        """A screenshot, `uint8` of the shape `(h, w, 3)`."""
        import PIL.Image  # viser brings it

        png = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return np.array(PIL.Image.open(io.BytesIO(png)).convert("RGB"))

    def click(self, text: str) -> None:
        """Clicks the button, tab or switch that carries a text, with the mouse."""
        # The innermost element that shows exactly this text, in the middle of what is seen of it.
        place = self.ask(
            f"""(() => {{
              const all = [...document.querySelectorAll('button, label, span, div, p')];
              const hit = all.reverse().find(e => e.textContent.trim() === {json.dumps(text)} && e.offsetParent);
              if (!hit) return null;
              hit.scrollIntoView({{block: 'center'}});
              const box = hit.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }})()"""
        )
        assert place is not None, f"nothing on the page says {text!r}: {self.text()!r}"
        self.click_at(*place)

    def click_at(self, x: float, y: float, ctrl: bool = False) -> None:
        """Clicks a place with the mouse."""
        mouse = {"x": x, "y": y, "modifiers": 2 if ctrl else 0}
        self.call("Input.dispatchMouseEvent", type="mouseMoved", **mouse)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **mouse)

    def press(self, key: str) -> None:
        """Presses a letter."""
        code = {"key": key, "code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper())}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=key, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)

    def close(self) -> None:
        """Closes the page."""
        self._socket.close()
        urllib.request.urlopen(f"{self._pages}/close/{self._target['id']}", timeout=PATIENCE).close()
