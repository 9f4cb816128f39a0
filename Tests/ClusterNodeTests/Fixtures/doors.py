"""Somebody who goes to every door of a node, and writes down what comes back.

    doors.py http://127.0.0.1:7001 PORT … < credentials.json

The credentials are an object of texts by their names; "" shows nothing. The ports are those between nodes. It prints a JSON object a
line for each door and credential: door, credential, status, text. The status of a door without HTTP is 0.
"""

import base64
import concurrent.futures
import json
import os
import re
import socket
import struct
import sys
import urllib.parse

import msgpack

address = urllib.parse.urlsplit(sys.argv[1])
PATIENCE = 10
WEBSOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode()}
STREAM = {"Accept": "text/event-stream"}
DATA = '{"x":1}'

# The name of a door, the method, the target, fields, the body.
REQUESTS = [
    ("get", "GET", "/.json", {}, None),
    ("get below", "GET", "/vault/gold.json", {}, None),
    ("get nothing", "GET", "/vault/none.json", {}, None),
    ("head", "HEAD", "/vault.json", {}, None),
    ("etag", "GET", "/vault.json", {"X-Firebase-ETag": "true"}, None),
    ("known etag", "GET", "/vault.json", {"if-none-match": "null_etag"}, None),
    ("shallow", "GET", "/.json?shallow=true", {}, None),
    ("pretty", "GET", "/vault.json?print=pretty", {}, None),
    ("export", "GET", "/vault.json?format=export", {}, None),
    ("script", "GET", "/vault.json?callback=f", {}, None),
    ("download", "GET", "/vault.json?download=f.json", {}, None),
    ("query", "GET", "/vault.json?orderBy=%22$key%22&limitToFirst=1", {}, None),
    ("unindexed query", "GET", "/vault.json?orderBy=%22weight%22&limitToFirst=1", {}, None),
    ("bad query", "GET", "/vault.json?orderBy=%22", {}, None),
    ("stable", "GET", "/vault.json", {"Hearth-Stable": "100ms"}, None),
    ("stream", "GET", "/vault.json", STREAM, None),
    ("stream of a query", "GET", "/.json?orderBy=%22$key%22", STREAM, None),
    ("put", "PUT", "/vault/x.json", {}, DATA),
    ("put nothing", "PUT", "/vault/x.json", {}, ""),
    ("put no JSON", "PUT", "/vault/x.json", {}, "{"),
    ("put a sum", "PUT", "/vault/weight.json", {}, '{".sv":{"increment":1}}'),
    ("put if", "PUT", "/vault/x.json", {"if-match": "null_etag"}, DATA),
    ("put if something", "PUT", "/vault/gold.json", {"if-match": "x"}, DATA),
    ("put all", "PUT", "/.json", {}, DATA),
    ("put silently", "PUT", "/vault/x.json?print=silent", {}, DATA),
    ("post", "POST", "/vault.json", {}, DATA),
    ("patch", "PATCH", "/vault.json", {}, DATA),
    ("patch below", "PATCH", "/.json", {}, '{"vault/x":1,"open/x":1}'),
    ("delete", "DELETE", "/vault/gold.json", {}, None),
    ("delete all", "DELETE", "/.json", {}, None),
    ("overridden method", "POST", "/vault/gold.json", {"X-HTTP-Method-Override": "DELETE"}, ""),
    ("another user", "GET", "/vault.json?auth_variable_override=%7B%22uid%22:%22ada%22%7D", {}, None),
    ("nobody", "GET", "/vault.json?auth_variable_override=null", {}, None),
    ("metrics", "GET", "/metrics", {}, None),
    ("rules", "GET", "/.settings/rules.json", {}, None),
    ("plain rules", "GET", "/.settings/rules.json?format=strict", {}, None),
    ("set rules", "PUT", "/.settings/rules.json", {}, '{"rules":{".read":true,".write":true}}'),
    ("check rules", "PUT", "/.settings/rules.json?dryRun=true&warnings=true", {}, '{"rules":{".read":true}}'),
    ("bad rules", "PUT", "/.settings/rules.json", {}, '{"rules":{".read":"x"}}'),
    ("status of rules", "GET", "/.settings/rules/status.json", {}, None),
    ("settings", "GET", "/.settings.json", {}, None),
    ("simulate", "POST", "/.inspect/simulate.json", {}, DATA),
    ("history of rules", "GET", "/.settings/rules/history.json", {}, None),
    ("inspect", "GET", "/.inspect/coverage.json", {}, None),
    ("page of coverage", "GET", "/.inspect/coverage", {}, None),
    ("count", "POST", "/.inspect/coverage.json", {}, ""),
    ("count no more", "DELETE", "/.inspect/coverage.json", {}, None),
    ("info", "GET", "/.info.json", {}, None),
    ("info connected", "GET", "/.info/connected.json", {}, None),
    ("hidden", "GET", "/.priority.json", {}, None),
    ("root page", "GET", "/", {}, None),
    ("console", "GET", "/console", {}, None),
    ("hidden console", "GET", "/.console", {}, None),
    ("page of data", "GET", "/vault", {"Accept": "text/html"}, None),
    ("file of the page", "GET", "/.console/main.js", {}, None),
    ("picture", "GET", "/favicon.ico", {}, None),
    ("status", "GET", "/status", {}, None),
    ("no target", "GET", "/%zz.json", {}, None),
    ("deep", "GET", "/" + "a/" * 40 + "a.json", {}, None),
    ("native without WebSocket", "GET", "/.hearth", {}, None),
    ("realtime without WebSocket", "GET", "/.ws", {}, None),
    ("health", "GET", "/health", {}, None),
    ("preflight", "OPTIONS", "/vault.json", {"Origin": "https://evil.test"}, None),
    ("another site", "GET", "/vault.json", {"Origin": "https://evil.test"}, None),
    ("another host", "GET", "/vault.json", {"Host": "evil.test"}, None),
    ("another method", "TRACE", "/vault.json", {}, None),
]

# What a native client may ask, without the number.
NATIVE = [
    ["get", "vault"], ["get", "vault", {"query": {"i": ".key", "l": 1, "vf": "l"}}], ["children", ""],
    ["children", "vault"], ["listen", ""], ["listen", "vault"], ["put", "vault/x", 1],
    ["put", "vault/x", 1, {"if": ""}], ["put", "vault/weight", {".sv": {"increment": 1}}],
    ["merge", "", {"vault/x": 1}], ["push", "vault", 1], ["onDisconnect", "vault/x", 1],
    ["onDisconnect", "", {"vault": 1}], ["status"], ["rules"], ["setRules", '{"rules":{".read":true}}'],
    ["explain", "read /vault as none"], ["backup", "b"], ["evict", "amethyst"], ["awaitStable", 10],
    ["hello", {}], ["hello", {1: 10}], ["get", ".settings/rules"], ["nonsense"], ["coverage", "begin"],
    ["rulesHistory"], ["writes", {}],
]

# What a client of Firebase's protocol may ask.
REALTIME = [
    ("q", {"p": "/vault", "h": ""}), ("q", {"p": "/", "h": ""}), ("l", {"p": "/vault/gold", "h": ""}),
    ("q", {"p": "/vault", "h": "", "q": {"l": 1, "vf": "l", "i": ".key"}, "t": 1}),
    ("g", {"p": "/vault", "q": {}}), ("p", {"p": "/vault/x", "d": 1}),
    ("p", {"p": "/vault/gold", "d": 1, "h": "x"}), ("m", {"p": "/", "d": {"vault/x": 1}}),
    ("o", {"p": "/vault/x", "d": 1}), ("om", {"p": "/", "d": {"vault/x": 1}}),
    ("p", {"p": "/.settings/rules", "d": "{}"}), ("q", {"p": "/.info/connected", "h": ""}),
]


class Line:
    """A connection, and what has come that was not read."""

    def __init__(self, port=address.port):
        self.socket = socket.create_connection((address.hostname, port), PATIENCE)
        self.bytes = b""

    def read(self, count=1):
        """So many bytes at least; fewer if the node has closed, or says nothing more for long."""
        while len(self.bytes) < count:
            try:
                more = self.socket.recv(1 << 16)
            except (TimeoutError, ConnectionError):
                break
            if not more:
                break
            self.bytes += more
        part, self.bytes = self.bytes[:count], self.bytes[count:]
        return part

    def head(self):
        head = b""
        while not head.endswith(b"\r\n\r\n") and (byte := self.read()):
            head += byte
        return head.decode()

    def request(self, method, target, fields, body=None):
        fields = {"Host": f"127.0.0.1:{address.port}", **fields}
        if body is not None:
            fields["Content-Length"] = len(body.encode())
        lines = [f"{method} {target} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n" + (body or "")).encode())

    def frame(self):
        """The kind and the bytes of the next frame of a WebSocket; a kind of 8 at the end."""
        start = self.read(2)
        if len(start) < 2:
            return 8, b""
        count = start[1] & 127
        if count > 125:
            count = int.from_bytes(self.read(2 if count == 126 else 8), "big")
        return start[0] & 15, self.read(count)

    def send(self, kind, data):
        count = struct.pack("!B", 128 | len(data)) if len(data) < 126 else struct.pack("!BH", 254, len(data))
        self.socket.sendall(bytes([128 | kind]) + count + bytes(4) + data)


def with_credential(target, fields, credential, name):
    """One half shows it in the address, the other one in a field."""
    if not credential:
        return target, fields
    if len(name) % 2:
        return target, {**fields, "Authorization": f"Bearer {credential}"}
    mark = "&" if "?" in target else "?"
    return f"{target}{mark}auth={urllib.parse.quote(credential)}", fields


def visit(name, method, target, fields, body, credential):
    line = Line()
    target, fields = with_credential(target, fields, credential, name)
    line.request(method, target, fields, body)
    head = line.head()
    status = int(head.split(" ")[1]) if head else 0
    length = re.search(r"content-length: (\d+)", head, re.I)
    text = head
    if method != "HEAD" and length:
        text += line.read(int(length[1])).decode()
    elif "event-stream" in head:
        line.socket.settimeout(1)
        text += line.read(1 << 16).decode()
    return [(name, status, text)]


def native(credential):
    line = Line()
    target, fields = with_credential("/.hearth", WEBSOCKET, credential, "native")
    line.request("GET", target, {**fields, "Sec-WebSocket-Protocol": "hearth.1"})
    head = line.head()
    status = int(head.split(" ")[1])
    found = [("native", status, head if status == 101 else head + line.read(1 << 12).decode())]
    if status != 101:
        return found
    for number, message in enumerate(NATIVE, 1):
        line.send(2, b"\x01" + msgpack.packb([message[0], number, *message[1:]]))
    line.send(2, b"\x01" + msgpack.packb(["ping", 99]))
    answers = {}
    others = []
    while 99 not in answers or any(number not in answers for number in range(1, len(NATIVE) + 1)):
        kind, data = line.frame()
        if kind == 8:
            break
        if kind != 2:
            continue
        messages = msgpack.Unpacker(strict_map_key=False)
        messages.feed(data[1:])
        for message in messages:
            known = message[0] in ("ok", "met", "pushed", "value", "ready", "error")
            if known:
                answers[message[1]] = message
            else:
                others.append(message)
    for number, message in enumerate(NATIVE, 1):
        found.append((f"native {number} {message[0]}", 0, repr(answers.get(number))))
    return found + [("native, unasked", 0, repr(others))]


def realtime(credential):
    line = Line()
    line.request("GET", "/.ws?v=5&ns=t", WEBSOCKET)
    found = [("realtime", int(line.head().split(" ")[1]), "")]
    texts = [line.frame()[1].decode()]
    requests = [("gauth" if len(credential) % 2 else "auth", {"cred": credential})] if credential else []
    requests += REALTIME
    for number, (action, body) in enumerate(requests, 1):
        message = {"t": "d", "d": {"r": number, "a": action, "b": body}}
        line.send(1, json.dumps(message).encode())
    waiting = set(range(1, len(requests) + 1))
    while waiting:
        kind, data = line.frame()
        if kind != 1:
            break
        texts.append(data.decode())
        waiting.discard(json.loads(data)["d"].get("r"))
    for text in texts:
        number = json.loads(text)["d"].get("r")
        name = f"realtime {number} {requests[number - 1][0]}" if number else "realtime, unasked"
        found.append((name, 0, text))
    return found + [("realtime, unanswered", 0, repr(sorted(waiting)))]


def long_poll(credential):
    def get(**parameters):
        line = Line()
        line.request("GET", "/.lp?" + urllib.parse.urlencode({"v": 5, "ns": "t", **parameters}), {})
        length = re.search(r"content-length: (\d+)", line.head(), re.I)
        return line.read(int(length[1])).decode()

    script = get(start="t", cb=1)
    name, password = re.search(r'"start","(\w+)","(\w+)"', script).groups()
    found = [("long poll", 200, script)]
    requests = [("auth", {"cred": credential})] if credential else []
    requests += [("g", {"p": "/vault", "q": {}}), ("p", {"p": "/vault/x", "d": 1})]
    for number, (action, body) in enumerate(requests, 1):
        message = json.dumps({"t": "d", "d": {"r": number, "a": action, "b": body}})
        data = base64.urlsafe_b64encode(message.encode()).decode().replace("=", ".")
        script = get(id=name, pw=password, seg0=number - 1, ts0=1, d0=data)
        found.append((f"long poll {action}", 200, script))
    return found + [("another's long poll", 200, get(id=name, pw="x"))]


def between_nodes(port, credential):
    line = Line(port)
    line.socket.settimeout(1)
    # A greeting of ZMTP 3.0 without keys, and what a peer might send.
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(16) + b"\x00" + bytes(31)
    try:
        line.socket.sendall(greeting + b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB" + b"\x00\x01\x01")
        line.socket.sendall(os.urandom(200) + credential.encode())
    except ConnectionError:
        pass
    return [("between nodes", 0, line.read(1 << 16).decode("latin-1"))]


def main():
    credentials = json.load(sys.stdin)
    visits = []
    for name, credential in credentials.items():
        visits += [(name, visit, (*request, credential)) for request in REQUESTS]
        visits += [(name, door, (credential,)) for door in (native, realtime, long_poll)]
        visits += [(name, between_nodes, (int(port), credential)) for port in sys.argv[2:]]
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        futures = [(name, pool.submit(door, *arguments)) for name, door, arguments in visits]
        for name, future in futures:
            for door, status, text in future.result():
                print(json.dumps({"door": door, "credential": name, "status": status, "text": text}))


main()
