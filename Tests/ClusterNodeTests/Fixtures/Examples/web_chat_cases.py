"""Uses the web chat as two people do, while a node is killed.

Arguments: the folder of the web chat, the signing key, the addresses of the nodes, the process of the first node, and a
folder for pictures.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

example, key, addresses, process = sys.argv[1:5]
first, second, third = nodes = addresses.split(",")
pictures = sys.argv[5] if len(sys.argv) > 5 else None
sys.dont_write_bytecode = True  # The folder of the example stays as it is.
sys.path[:0] = [example, str(Path(__file__).parent.parent / "Console")]

from browser import Browser, Failure
from server import Users


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def sign_in(browser, user, password):
    browser.wait("document.querySelector('#sign-in').onsubmit")
    for name, text in (("user", user), ("password", password)):
        browser.evaluate(f"document.querySelector('[name={name}]').value = {json.dumps(text)}")
    browser.click("#sign-in button")


def wait_until_connected(browser, node):
    text = "connected to " + node.removeprefix("http://")
    browser.wait(f"document.querySelector('#state').textContent === '{text}'", seconds=30)


def send(browser, text):
    browser.evaluate("document.querySelector('[name=text]').focus()")
    browser.type(text)
    browser.press("Enter")


def shows(browser, text, count=1):
    browser.wait(
        f"[...document.querySelectorAll('#messages p')].filter((p) => p.textContent === {json.dumps(text)}).length === {count}",
        seconds=30, what=f"{count} message {text}")


def room(name):
    return f"[...document.querySelectorAll('#rooms button')].find((b) => b.textContent === {json.dumps(name)})"


def picture(browser, name):
    if pictures:
        for width in (400, 1200):
            for dark in (False, True):
                browser.resize(width, 800)
                browser.set_dark(dark)
                browser.picture(f"{pictures}/{name}-{width}-{'dark' if dark else 'light'}.png")
        browser.resize(1200, 800)


def use(address, ada, bob):
    for browser in (ada, bob):
        browser.open(address)
    sign_in(bob, "bob", "wrong")
    bob.wait("document.querySelector('#problem').textContent.includes('wrong')")
    picture(bob, "sign-in")
    sign_in(bob, "bob", "bob's password")
    sign_in(ada, "ada", "ada's password")
    for browser in (ada, bob):
        wait_until_connected(browser, first)
    bob.wait("document.querySelector('#messages').className === 'empty'")
    picture(bob, "empty")

    # Messages, presence and texts that look like HTML.
    hostile = "<img src=x onerror=alert(1)>"
    for text in ("hello", hostile):
        send(ada, text)
        shows(bob, text)
    send(bob, "hello, Ada")
    shows(ada, "hello, Ada")
    for browser in (ada, bob):
        browser.wait("document.querySelector('#online').textContent === 'adabob'", seconds=30)
    if ada.dialogs() or bob.dialogs():
        raise Failure("a message ran as a script")

    # Unread messages of another room.
    bob.evaluate(f"{room('kitchen')}.click()")
    send(ada, "lunch?")
    bob.wait(f"{room('lobby')}.dataset.unread === '1' && document.title === '(1) Hearth chat'", seconds=30)
    picture(bob, "unread")
    at_once = f"{room('lobby')}.click(), {room('lobby')}.dataset.unread + document.title"
    if (shown := bob.evaluate(at_once)) != "Hearth chat":
        raise Failure(f"the open room has unread messages: {shown}")
    shows(bob, "lunch?")
    bob.wait(f"{room('lobby')}.dataset.unread === '' && document.title === 'Hearth chat'", seconds=30)
    picture(ada, "chat")
    hosts = {address.split("/")[2]} | {node.split("/")[2] for node in nodes}
    if problems := ada.problems(hosts):
        raise Failure("\n".join(problems))

    # A killed node: both go on at another one, also after a reload.
    os.kill(int(process), signal.SIGKILL)
    send(ada, "still here")
    shows(bob, "still here")
    wait_until_connected(ada, second)
    ada.open(address)
    shows(ada, "still here")
    shows(ada, hostile)


class Refusal(BaseHTTPRequestHandler):
    """A node without rules."""

    def refuse(self):
        self.send_response(200 if self.command == "OPTIONS" else 401)
        for name in ("Origin", "Headers", "Methods"):
            self.send_header(f"Access-Control-Allow-{name}", "*" if name == "Origin" else "Authorization, PUT")
        self.end_headers()
        self.wfile.write(b'{"error": "Permission denied"}')

    do_GET = do_PUT = do_OPTIONS = refuse

    def log_message(self, *_):
        pass


def explain(folder, browser):
    """The page says why it cannot work."""
    def state(text):
        browser.wait(f"document.querySelector('#state').textContent.includes({json.dumps(text)})", seconds=30)

    def start(address):
        browser.open(address)
        browser.evaluate("sessionStorage.clear()")
        browser.open(address)
        sign_in(browser, "ada", "ada's password")

    with web_server(folder, key, f"http://127.0.0.1:{free_port()},http://127.0.0.1:{free_port()}") as address:
        start(address)
        state("no node answers")
        picture(browser, "no-node")
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as node:
        Thread(target=node.serve_forever, daemon=True).start()
        with web_server(folder, key, f"http://127.0.0.1:{node.server_port}") as address:
            start(address)
            state("Permission denied")
        node.shutdown()
    other = Path(folder, "other.key")
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", other], check=True)
    with web_server(folder, other, third) as address:
        start(address)
        browser.wait("document.querySelector('#problem').textContent === 'Could not parse auth token.'", seconds=30)
        picture(browser, "signed-out")
    sign_in(browser, "ada", "ada's password")
    browser.wait("document.querySelector('#problem').textContent === 'The web server does not answer.'")


@contextmanager
def web_server(folder, key, nodes):
    """Serves the chat, and yields its address."""
    server = subprocess.Popen(
        [sys.executable, f"{example}/server.py", "--users", f"{folder}/users.json", "run",
         "--key", key, "--nodes", nodes, "--port", str(free_port())],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield server.stdout.readline().split()[1]
    finally:
        server.kill()
        server.wait()


def main():
    with tempfile.TemporaryDirectory() as folder, Browser() as ada, Browser() as bob:
        users = Users(f"{folder}/users.json")
        for name in ("ada", "bob"):
            users.add(name, f"{name}'s password")
        with web_server(folder, key, addresses) as address:
            use(address, ada, bob)
        explain(folder, bob)
    print("all well")


main()
