"""A client of Hearth in Python: what any language with WebSockets and MessagePack can do.

    client.py tour ADDRESS ADDRESS ADDRESS      every kind of message, over three nodes
    client.py push ADDRESS PATH LABEL COUNT     pushes, many at once; prints "key value" for each ack
    client.py get ADDRESS PATH                  prints the value as JSON, in the node's order
    client.py load ADDRESS COUNT                acknowledged pushes per second
    client.py crowd ADDRESS COUNT               connects so often, prints how many the node serves once they
                                                are no more, has the first write, and stays until it is ended

Each ends with 1 and a message when a node does not answer as it should.
"""

import asyncio
import atexit
import base64
import hashlib
import json
import struct
import sys
import time

import msgpack
import websockets

VERSION = b"\x01"
PATIENCE_MILLISECONDS = 10_000


loop = asyncio.new_event_loop()


class Client:
    """One connection: numbers requests, and tells answers from the changes of listens."""

    def __init__(self, address, socket=None):
        self.address = address
        self.socket = socket or loop.run_until_complete(Client.connect(address))
        self.last_id = 0
        self.changes = []
        atexit.register(self.close)

    @staticmethod
    async def connect(address):
        url = address.replace("http:", "ws:") + "/.hearth"
        # The loop runs only while this program waits for something: it cannot keep to times.
        return await websockets.connect(
            url, subprotocols=["hearth.1"], max_size=None, ping_interval=None,
            open_timeout=PATIENCE_MILLISECONDS / 1000, close_timeout=1)

    def close(self):
        loop.run_until_complete(self.socket.close())

    def send_frame(self, frame):
        try:
            loop.run_until_complete(self.socket.send(frame))
        except websockets.ConnectionClosed:
            pass  # No answer will come.

    def send(self, name, *fields):
        self.last_id += 1
        self.send_frame(VERSION + msgpack.packb([name, self.last_id, *fields]))
        return self.last_id

    def send_many(self, requests):
        """Sends requests in one frame, as a program that has much to say does."""
        frame = [VERSION]
        for name, *fields in requests:
            self.last_id += 1
            frame.append(msgpack.packb([name, self.last_id, *fields]))
        self.send_frame(b"".join(frame))

    def receive(self, milliseconds=PATIENCE_MILLISECONDS):
        """The messages of the next frame; none if it does not come in time."""
        try:
            frame = loop.run_until_complete(
                asyncio.wait_for(self.socket.recv(), milliseconds / 1000))
        except (asyncio.TimeoutError, websockets.ConnectionClosed):
            return []
        check(frame[:1] == VERSION, f"a frame of version {frame[:1]}")
        messages = msgpack.Unpacker(strict_map_key=False, object_pairs_hook=dict)
        messages.feed(frame[1:])
        return list(messages)

    def ask(self, name, *fields):
        """The answer to one request; changes that come in between are kept."""
        request = self.send(name, *fields)
        answer = None
        while answer is None:
            messages = self.receive()
            check(messages, f"no answer to {name}")
            for message in messages:
                if message[0] == "change":
                    self.changes.append(message[1:])
                elif message[1] == request:
                    answer = message
        return answer

    def await_change(self, tree):
        """What a listener holds after the next change: what it held, and the writes in order."""
        while not self.changes:
            messages = self.receive()
            check(messages, "no change came")
            self.changes += [message[1:] for message in messages if message[0] == "change"]
        for path, value in self.changes.pop(0)[1]:
            tree = written(tree, path.split("/") if path else [], value)
        return tree


def written(tree, keys, value):
    """The tree with a value at a path; null removes, and what is left empty goes."""
    if not keys:
        return value
    children = dict(tree) if isinstance(tree, dict) else {}
    child = written(children.pop(keys[0], None), keys[1:], value)
    if child is not None:
        children[keys[0]] = child
    return children or None


def check(condition, problem):
    if not condition:
        sys.exit(f"client.py: {problem}")


def expect(actual, wanted):
    check(actual == wanted, f"expected {wanted!r}, got {actual!r}")


def eventually(read, wanted):
    """Other nodes have a write a moment after it was acknowledged."""
    deadline = time.monotonic() + PATIENCE_MILLISECONDS / 1000
    while (actual := read()) != wanted:
        check(time.monotonic() < deadline, f"expected {wanted!r} at last, got {actual!r}")
        time.sleep(0.01)


def tour(first, second, third):
    first, second, third = Client(first), Client(second), Client(third)
    listen = third.ask("listen", "rooms")[1]
    seen = third.await_change("nothing yet")
    expect(seen, None)

    expect(first.ask("put", "rooms/a", {"title": "hello", "size": 2})[0], "ok")
    seen = third.await_change(seen)
    expect(seen, {"a": {"title": "hello", "size": 2}})

    pushed = second.ask("push", "rooms/a/lines", "first")
    expect(pushed[0], "pushed")
    seen = third.await_change(seen)
    expect(seen["a"]["lines"], {pushed[2]: "first"})

    expect(second.ask("merge", "rooms/a", {"title": "bye", "size": None})[0], "ok")
    tree = {"lines": {pushed[2]: "first"}, "title": "bye"}
    expect(third.await_change(seen), {"a": tree})

    for client in (first, second, third):
        eventually(lambda client=client: client.ask("get", "rooms/a")[2], tree)
    expect(first.ask("children", "rooms")[2], {"count": 1, "children": {"a": {"count": 2}}})
    part = first.ask("children", "rooms/a", {"from": "lines", "limit": 1})[2]
    expect(part, {"count": 2, "children": {"lines": {"count": 1}}, "next": "title"})
    expect(first.ask("children", "rooms/a/title")[2], {"value": "bye"})
    expect(first.ask("children", "nowhere")[2], None)
    expect(first.ask("ping")[0], "value")
    expect(first.ask("status")[2]["durability"], "commit")
    unsettled = first.ask("awaitStable", 10)
    expect(unsettled[:1] + unsettled[2:3], ["error", "not_stable"])
    refused = first.ask("put", "rooms/a.b", 1)
    expect(refused[:1] + refused[2:3], ["error", "invalid"])
    expect(third.ask("unlisten", listen)[0], "ok")
    tour_of_options(first)


def tour_of_options(client):
    """What the README shows of queries, conditions and the end of a connection."""
    for name, points in [("ann", 30), ("bob", 10), ("cid", 20)]:
        expect(client.ask("put", f"players/{name}", {"points": points})[0], "ok")
    best = {"query": {"i": "points", "l": 2, "vf": "r"}}
    shown = {"ann": {"points": 30}, "cid": {"points": 20}}
    expect(client.ask("get", "players", best)[2], shown)
    expect(client.ask("listen", "players", best | {"hash": data_hash(shown)})[0], "ok")
    while not client.changes:
        client.changes += [message[1:] for message in client.receive()]
    expect(client.changes.pop()[1], [])
    expect(client.ask("get", "players", {"limit": 3})[3][:22], 'unknown option "limit"')

    expect(client.ask("put", "counter", 4, {"if": data_hash(None)})[0], "ok")
    expect(client.ask("put", "counter", 5, {"if": data_hash(4)})[0], "ok")
    expect(client.ask("put", "counter", 6, {"if": data_hash(4)})[2], "changed")

    expect(client.ask("onDisconnect", "left", {"bob": True, "cid": True})[0], "ok")
    expect(client.ask("onDisconnectCancel", "left/cid")[0], "ok")
    client.close()
    other = Client(client.address)
    eventually(lambda: other.ask("get", "left")[2], {"bob": True})


def data_hash(value):
    """The hash of a value without priorities, its keys in the order in which nodes send them."""
    if value is None:
        return ""
    if isinstance(value, dict):
        text = "".join(f":{key}:{data_hash(value[key])}" for key in value)
    elif isinstance(value, bool):
        text = f"boolean:{str(value).lower()}"
    elif isinstance(value, str):
        text = f"string:{value}"
    else:
        text = f"number:{struct.pack('>d', value).hex()}"
    return base64.b64encode(hashlib.sha1(text.encode()).digest()).decode()


def push(address, path, label, count):
    """Keeps up to 200 pushes under way; ends early when the node is gone, with what it acknowledged."""
    client, sent, acknowledged = Client(address), 0, 0
    values = {}
    while acknowledged < count:
        while sent < count and sent - acknowledged < 200:
            values[client.send("push", path, f"{label}{sent}")] = f"{label}{sent}"
            sent += 1
        messages = client.receive(2_000)
        if not messages:
            return
        for message in messages:
            check(message[0] == "pushed", f"refused: {message}")
            print(message[2], values.pop(message[1]), flush=True)
            acknowledged += 1


def load(address, count, batch=50, window=4_000):
    client, sent, acknowledged = Client(address), 0, 0
    value = {"author": "someone", "text": "x" * 100}
    start = time.monotonic()
    while acknowledged < count:
        while sent < count and sent - acknowledged < window:
            client.send_many([("push", "load", value)] * batch)
            sent += batch
        messages = client.receive()
        check(messages, f"no answer after {acknowledged} of {count}")
        acknowledged += len(messages)
    seconds = time.monotonic() - start
    print(json.dumps({"acknowledged": acknowledged, "perSecond": round(acknowledged / seconds)}))


def crowd(address, count):
    """Waits until no more are served, and has each of these write."""

    async def arrive():
        attempts = [asyncio.wait_for(Client.connect(address), 3) for _ in range(count)]
        return await asyncio.gather(*attempts, return_exceptions=True)

    arrived = loop.run_until_complete(arrive())
    served = [Client(address, it) for it in arrived if not isinstance(it, BaseException)]
    for client in served:
        expect(client.ask("put", "crowd", len(served))[0], "ok")
    print(len(served), flush=True)
    time.sleep(60)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["tour", first, second, third]:
            tour(first, second, third)
        case ["push", address, path, label, count]:
            push(address, path, label, int(count))
        case ["get", address, path]:
            print(json.dumps(Client(address).ask("get", path)[2]))
        case ["load", address, count]:
            load(address, int(count))
        case ["crowd", address, count]:
            crowd(address, int(count))
        case _:
            sys.exit(__doc__)
