"""Clients of a cluster with TLS, tokens and rules: REST, event streams, and the WebSocket messages of Firebase's SDKs.

    secured_clients.py https://127.0.0.1:9000 certificate.pem app.secret ada.token short.token

The rules let each user read and write /users/UID, and everyone read /news. The short token is ada's, too, and expires while
this runs.
"""

import asyncio
import json
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request

import websockets

base, certificate, *files = sys.argv[1:]
secret, ada, short = (open(file).read().strip() for file in files)
context = ssl.create_default_context(cafile=certificate)


def send(method, target, credential=None, body=None, **fields):
    """The status and the content of the answer."""
    if credential:
        fields["Authorization"] = f"Bearer {credential}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + target, data, fields, method=method)
    try:
        with urllib.request.urlopen(request, context=context, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def rest():
    denied = (401, {"error": "Permission denied"})
    assert send("PUT", "/users/ada/name.json", ada, "Ada") == (200, "Ada")
    assert send("GET", "/users/ada.json", ada) == (200, {"name": "Ada"})
    assert send("GET", f"/users/ada.json?auth={ada}") == (200, {"name": "Ada"})
    assert send("GET", f"/users/ada.json?access_token={ada}") == (200, {"name": "Ada"})
    assert send("GET", "/news.json") == (200, None)
    for method, target, credential in [
            ("GET", "/users/ada.json", None), ("GET", "/users/eve.json", ada), ("PUT", "/users/eve.json", ada),
            ("GET", "/.json", ada), ("GET", "/.settings/rules.json", ada)]:
        status, content = send(method, target, credential, 1 if method == "PUT" else None)
        assert (status, {"error": content["error"]}) == denied, (method, target, status, content)
    assert send("GET", "/users/ada.json", ada[:-1])[1]["error"] == "Could not parse auth token."
    # An administrator reads everything, and may act as a user.
    assert send("GET", "/users.json?shallow=true", secret) == (200, {"ada": True})
    act = "auth_variable_override=" + urllib.parse.quote('{"uid":"eve"}')
    assert send("PUT", f"/users/eve.json?{act}", secret, 1) == (200, 1)
    assert send("GET", f"/users/ada.json?{act}", secret)[0] == 401
    assert "users" in send("GET", "/.settings/rules.json", secret)[1]["rules"]


def stream():
    """The events of a stream whose token expires."""
    request = urllib.request.Request(
        base + "/users/ada.json",
        headers={"Accept": "text/event-stream", "Authorization": f"Bearer {short}"})
    events = []
    with urllib.request.urlopen(request, context=context, timeout=100) as answer:
        for line in answer:
            if line.startswith(b"event: "):
                events.append(line[7:].strip().decode())
    assert events[0] == "put" and events[-1] == "auth_revoked", events


class Socket:
    """The messages of an SDK on Firebase's WebSocket protocol, version 5."""

    async def open():
        socket = Socket()
        address = base.replace("https", "wss") + "/.ws?v=5&ns=default"
        socket.socket = await websockets.connect(address, ssl=context, compression=None)
        socket.number, socket.pushed = 0, []
        await socket.receive()
        return socket

    async def receive(self):
        return json.loads(await asyncio.wait_for(self.socket.recv(), 100))

    async def ask(self, action, **body):
        """The status of the answer, and its content; messages before it are kept."""
        self.number += 1
        await self.socket.send(json.dumps({"t": "d", "d": {"r": self.number, "a": action, "b": body}}))
        while True:
            content = (await self.receive())["d"]
            if content.get("r") == self.number:
                return content["b"]["s"], content["b"]["d"]
            self.pushed.append(content)


async def sdk():
    # The JavaScript, iOS and Android SDKs send `auth` with a token; those of administrators `gauth`.
    socket = await Socket.open()
    assert (await socket.ask("q", p="/users/ada", h=""))[0] == "permission_denied"
    assert (await socket.ask("auth", cred=ada[:-1]))[0] == "invalid_token"
    status, content = await socket.ask("auth", cred=ada)
    assert status == "ok" and content["auth"]["uid"] == "ada", content
    assert (await socket.ask("q", p="/users/ada", h=""))[0] == "ok"
    assert socket.pushed[-1]["b"] == {"p": "users/ada", "d": {"name": "Ada"}}, socket.pushed
    assert (await socket.ask("p", p="/users/ada/n", d=1))[0] == "ok"
    assert (await socket.ask("q", p="/users/eve", h=""))[0] == "permission_denied"
    assert (await socket.ask("p", p="/users/eve", d=1))[0] == "permission_denied"
    assert (await socket.ask("unauth"))[0] == "ok"
    assert (await socket.ask("p", p="/users/ada/n", d=2))[0] == "permission_denied"
    assert (await socket.ask("gauth", cred=secret))[0] == "ok"
    assert (await socket.ask("p", p="/users/eve", d=2))[0] == "ok"
    assert (await socket.ask("gauth", cred=secret, authvar={"uid": "ada"}))[0] == "ok"
    assert (await socket.ask("p", p="/users/eve", d=3))[0] == "permission_denied"
    assert (await socket.ask("p", p="/users/ada/n", d=None))[0] == "ok"


async def expiry():
    """A session whose token expires is signed out, and goes on with the next token."""
    socket = await Socket.open()
    assert (await socket.ask("auth", cred=short))[0] == "ok"
    assert (await socket.ask("q", p="/users/ada", h=""))[0] == "ok"
    socket.pushed = []
    while not any(message.get("a") == "ac" for message in socket.pushed):
        socket.pushed.append((await socket.receive())["d"])
    assert socket.pushed[-1]["b"]["s"] == "expired_token", socket.pushed
    assert (await socket.ask("p", p="/users/ada/n", d=4))[0] == "permission_denied"
    assert (await socket.ask("auth", cred=short))[0] == "expired_token"
    assert (await socket.ask("auth", cred=ada))[0] == "ok"
    assert (await socket.ask("q", p="/users/ada", h=""))[0] == "ok"


async def main():
    rest()
    await sdk()
    await asyncio.gather(expiry(), asyncio.to_thread(stream))
    assert send("GET", "/users/ada.json", short)[1]["error"] == "Auth token is expired"
    print("all well")


asyncio.run(main())
