"""Chromium without a window, driven through a pair of pipes: pages in tests."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


class Browser:
    """A browser process with one page. It ends with the `with` block."""

    def __init__(self, folder: str, width: int = 1500, height: int = 900) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()

        def pass_pipes() -> None:
            # The browser reads commands from 3 and answers to 4.
            saved = os.dup(to_read), os.dup(to_write)
            os.dup2(saved[0], 3)
            os.dup2(saved[1], 4)

        assert CHROMIUM is not None
        self._process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", f"--user-data-dir={folder}", f"--window-size={width},{height}",
             "--remote-debugging-pipe", "about:blank"],
            close_fds=False, preexec_fn=pass_pipes, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._number = 0
        self._buffer = b""
        self.events: list[dict[str, Any]] = []
        self._session = ""
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target,
                                   flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=False)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *args: object) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def _receive(self, deadline: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0, deadline - time.time()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._from, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self._buffer += data
        message, self._buffer = self._buffer.split(b"\0", 1)
        result: dict[str, Any] = json.loads(message)
        return result

    def _send(self, method: str, timeout: float = 60, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.time() + timeout
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                result: dict[str, Any] = answer["result"]
                return result
            if "method" in answer:
                self.events.append(answer)

    def open(self, url: str) -> None:
        """Opens a page and waits until its scripts have run."""
        self._send("Page.navigate", url=url)
        deadline = time.time() + 60
        while self.run("document.readyState") != "complete":
            if time.time() > deadline:
                raise TimeoutError(f"{url} is not complete")
            time.sleep(0.05)

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        result = self._send("Runtime.evaluate", expression=script, returnByValue=True,
                            awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def screenshot(self, path: str) -> None:
        data = self._send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def problems(self) -> list[str]:
        """Errors of scripts, messages of the page, and requests but for files."""
        found = []
        for event in self.events:
            params = event["params"]
            if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled",
                                   "Log.entryAdded"):
                found.append(json.dumps(params))
            elif event["method"] == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "about:", "data:")):
                    found.append(url)
        return found
