"""A headless Chromium, driven over a pipe with the standard library alone."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAM = shutil.which("chromium-headless-shell")


class Failure(Exception):
    """An expectation of a test that does not hold."""


class Browser:
    """One page of a browser. Messages are JSON texts that end with NUL, on the descriptors 3 and 4."""

    def __init__(self, width=1200, height=800, dark=False):
        self.profile = tempfile.mkdtemp(prefix="hearth-console-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        command = [
            PROGRAM, "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={self.profile}", "--enable-precise-memory-info", "about:blank",
        ]
        # The child gets the two ends as 3 and 4, whatever numbers they have here.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command], pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.buffer = b""
        self.events = []
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(width, height)
        self.set_dark(dark)

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Messages

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        number = self.number
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 20)
            if not part:
                raise Failure("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    # Pages

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def set_dark(self, is_dark):
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, address):
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, expression, seconds=10.0, what=None):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + seconds
        while True:
            try:
                value = self.evaluate(expression)
            except Failure as failure:
                value = None
                if time.monotonic() > end:
                    raise failure
            # An element has no value of its own.
            if value or value == {}:
                return value
            if time.monotonic() > end:
                raise Failure(f"not within {seconds:g} s: {what or expression}")
            time.sleep(0.03)

    def press(self, key, text=None):
        codes = {"Enter": 13, "Escape": 27, "Delete": 46, "Backspace": 8, "ArrowDown": 40, "ArrowUp": 38,
                 "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9}
        text = text if text is not None else {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def click(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def click_text(self, text, within="body"):
        """Clicks the last button or link with a text."""
        found = self.evaluate(f"""(() => {{
            const all = [...document.querySelector({json.dumps(within)}).querySelectorAll('button, a, label')];
            const found = all.filter((e) => e.textContent.trim() === {json.dumps(text)} || e.getAttribute('aria-label') === {json.dumps(text)}).pop();
            found?.click();
            return Boolean(found);
        }})()""")
        if not found:
            raise Failure(f"there is no button {text}")

    def picture(self, file):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(file, "wb") as output:
            output.write(base64.b64decode(data))

    # What went wrong

    def dialogs(self):
        """The messages that scripts of the page have shown by `alert`."""
        return [event for event in self.events if event.get("method") == "Page.javascriptDialogOpening"]

    def problems(self, allowed_hosts):
        """The errors of the console, violations of the policy, and requests to other hosts."""
        self.evaluate("0")
        problems = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                entry = parameters["entry"]
                # A write that another one has overtaken: the page shows the conflict.
                if "status of 412" in entry["text"]:
                    continue
                # Rules with errors: the page shows where.
                if "status of 400" in entry["text"] and "dryRun" in entry.get("url", ""):
                    continue
                problems.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                problems.append(details.get("exception", {}).get("description", details["text"]))
            if method == "Network.requestWillBeSent":
                address = parameters["request"]["url"]
                if address.startswith("http") and address.split("/")[2] not in allowed_hosts:
                    problems.append(f"a request to {address}")
        return problems
