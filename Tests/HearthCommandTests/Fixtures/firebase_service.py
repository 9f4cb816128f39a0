"""A stand-in for the service: Firebase's REST interface and event streams over a tree in memory.

usage: firebase_service.py PORT-FILE [SECRET]; the file gets the port.

It answers as the service does where a migration can tell: a secret in `auth`, `shallow` with at most a limit and a bare
key, pages in key order, answers with Content-Length, event streams without priorities that begin with the whole value,
and a redirection of each stream. DELETE /.streams.json ends all event streams, as an expired credential does.
"""

import json
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

secret = sys.argv[2] if len(sys.argv) > 2 else None
lock = threading.Lock()
tree = [None]
streams = []
rules = [{"rules": {".read": True}}]


def key_order(key):
    is_number = key.lstrip("-").isdigit() and -(2**31) <= int(key) < 2**31
    return (0, int(key), len(key), key) if is_number else (1, 0, 0, key)


def clean(value):
    """A value without empty objects."""
    if not isinstance(value, dict):
        return value
    members = {key: clean(child) for key, child in value.items()}
    members = {key: child for key, child in members.items() if child is not None}
    return members if any(key != ".priority" for key in members) else None


def read(keys):
    value = tree[0]
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def write(keys, value):
    if not keys:
        tree[0] = clean(value)
        return
    if not isinstance(tree[0], dict):
        tree[0] = {}
    parent = tree[0]
    for key in keys[:-1]:
        if not isinstance(parent.get(key), dict):
            parent[key] = {}
        parent = parent[key]
    parent[keys[-1]] = value
    tree[0] = clean(tree[0])


def plain(value):
    if not isinstance(value, dict):
        return value
    if ".value" in value:
        return value[".value"]
    return {key: plain(child) for key, child in value.items() if key != ".priority"}


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, value, headers=()):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers:
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle_request(self):
        parts = urlsplit(self.path)
        self.options = {name: values[0] for name, values in parse_qs(parts.query).items()}
        path = parts.path.removesuffix(".json")
        self.keys = [unquote(key) for key in path.split("/") if key]
        length = int(self.headers.get("Content-Length") or 0)
        self.body = json.loads(self.rfile.read(length)) if length else None
        if secret and self.options.get("auth") != secret:
            self.answer(401, {"error": "Permission denied"})
        elif self.keys == [".settings", "rules"]:
            if self.command == "PUT":
                rules[0] = self.body
            self.answer(200, rules[0])
        elif self.command != "GET":
            self.change()
        elif self.headers.get("Accept") == "text/event-stream":
            self.stream()
        else:
            self.get()

    do_GET = do_PUT = do_PATCH = do_DELETE = handle_request

    def change(self):
        with lock:
            base = "/" + "/".join(self.keys)
            if self.keys == [".streams"]:
                event = ("auth_revoked", "credential is no longer valid")
            elif self.command == "PATCH":
                for name, value in self.body.items():
                    write(self.keys + name.split("/"), value)
                event = ("patch", {"path": base, "data": self.body})
            else:
                write(self.keys, self.body)
                event = ("put", {"path": base, "data": plain(self.body)})
            for stream in streams:
                stream.put(event)
        self.answer(200, self.body)

    def get(self):
        with lock:
            value = read(self.keys)
            start = self.options.get("startAfter")
            if "orderBy" in self.options:
                assert self.options["orderBy"] == '"$key"' and "shallow" not in self.options
                start = start and json.loads(start)
            if "orderBy" in self.options or "limitToFirst" in self.options:
                names = sorted((k for k in value or () if k[0] != "."), key=key_order) \
                    if isinstance(value, dict) else []
                names = [k for k in names if start is None or key_order(k) > key_order(start)]
                names = names[: int(self.options["limitToFirst"])]
                value = {name: value[name] for name in names}
            if self.options.get("shallow") == "true" and isinstance(value, dict):
                value = {name: True for name in value if name[0] != "."}
            if self.options.get("format") != "export":
                value = plain(value)
            body = json.dumps(value)
        self.answer(200, json.loads(body))

    def stream(self):
        host = self.headers["Host"]
        if host.startswith("127.0.0.1"):
            host = host.replace("127.0.0.1", "localhost")
            self.answer(307, None, [("Location", f"http://{host}{self.path}")])
            return
        events = queue.Queue()
        with lock:
            streams.append(events)
            events.put(("put", {"path": "/", "data": plain(read(self.keys))}))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while True:
            name, data = events.get()
            self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client ends the connection when an answer is too large."""


server = Server(("127.0.0.1", 0), Service)
with open(sys.argv[1], "w") as file:
    file.write(str(server.server_address[1]))
server.serve_forever()
