# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, controlled by its DevTools protocol over a pipe; NUL ends each message."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page. `problems` are what its console had: errors, warnings, exceptions."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="headrace-test.")
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def pipes():
            os.dup2(os.dup(to_read), 3)  # via other numbers: one end may be in the other's place
            os.dup2(back_write, 4)
        fds = sorted((to_read, back_write))
        if fds[0] <= 4:  # 3 and 4 are theirs
            to_read, back_write = (os.dup2(fd, 60 + fd) for fd in (to_read, back_write))
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, TMPDIR=self.folder.name))
        os.close(to_read)
        os.close(back_write)
        self.number, self.rest, self.problems, self.session = 0, b"", [], None
        targets = self.send("Target.getTargets")["targetInfos"]
        target = next(t for t in targets if t["type"] == "page")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.send(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(params["exceptionDetails"])
        if method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(params)
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"])
        if method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
            self.problems.append(params["request"]["url"])

    def send(self, method, **params):
        self.number += 1
        call = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        while (answer := self.message()).get("id") != self.number:
            self.note(answer)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def open(self, path):
        self.send("Page.navigate", url="file://" + path)
        while True:
            event = self.message()
            self.note(event)
            if event.get("method") == "Page.loadEventFired":
                return

    def look(self, width, height=800, scheme="light", media="screen"):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def picture(self, path, whole=False):
        data = self.send("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))

    def pdf(self):
        self.send("Emulation.setEmulatedMedia", media="print")  # look() may have said screen
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        self.session = None
        try:
            self.send("Browser.close")  # killed, it would leave children that still write
            self.process.wait(60)
        except (EOFError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.folder.cleanup()
