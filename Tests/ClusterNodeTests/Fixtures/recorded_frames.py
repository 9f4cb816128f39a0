"""Frames of Firebase's JavaScript client against a node, as they were recorded, and what that client needs back.

    recorded_frames.py http://127.0.0.1:9000
"""

import asyncio
import json
import sys
import time

import websockets

host = sys.argv[1].removeprefix("http://")
HEADERS = {"User-Agent": "Firebase/5/12.18.0/linux/Node", "X-Firebase-GMPID": "1:1:web:abc"}


class Client:
    """One connection, which joins what comes in chunks."""

    @staticmethod
    async def connect(query=""):
        client = Client()
        client.socket = await websockets.connect(
            f"ws://{host}/.ws?v=5{query}&p=1:1:web:abc&ns=test", extra_headers=HEADERS,
            compression=None, max_size=65_536)
        hello = await client.receive()
        assert hello["t"] == "c" and hello["d"]["t"] == "h", hello
        client.hello = hello["d"]["d"]
        assert client.hello["v"] == "5" and client.hello["h"] == host, hello
        assert abs(client.hello["ts"] / 1000 - time.time()) < 60
        return client

    async def send(self, *frames):
        for frame in frames:
            await self.socket.send(frame)

    async def receive(self):
        text = await asyncio.wait_for(self.socket.recv(), 10)
        if len(text) <= 6 and text.isdigit():
            text = "".join([await self.socket.recv() for _ in range(int(text))])
        return json.loads(text)

    async def expect(self, *messages):
        for message in messages:
            received = await self.receive()
            assert received == json.loads(message), f"{received} in place of {message}"

    async def silence(self):
        await self.send('{"t":"c","d":{"t":"p","d":{}}}')
        await self.expect('{"t":"c","d":{"t":"o","d":{}}}')


def ok(number, data='""'):
    return '{"t":"d","d":{"r":%d,"b":{"s":"ok","d":%s}}}' % (number, data)


def put(path, data, tag=""):
    return '{"t":"d","d":{"a":"d","b":{"p":"%s","d":%s%s}}}' % (path, data, tag)


# What the SDK sends to an emulator for a mock user: {"alg":"none","type":"JWT"} and {"sub":"ada",…}, unsigned.
ADA = "eyJhbGciOiJub25lIiwidHlwZSI6IkpXVCJ9.eyJzdWIiOiJhZGEiLCJ1c2VyX2lkIjoiYWRhIiwiaWF0IjowLCJleHAiOjM2MDB9."


async def begin():
    client = await Client.connect()
    await client.send('{"t":"d","d":{"r":1,"a":"s","b":{"c":{"sdk.node.12-18-0":1}}}}')
    await client.expect(ok(1))
    await client.send("0")
    await client.silence()
    for action, body in [("gauth", '{"cred":"owner"}'), ("auth", '{"cred":"%s"}' % ADA), ("unauth", "{}")]:
        await client.send('{"t":"d","d":{"r":2,"a":"%s","b":%s}}' % (action, body))
        assert (await client.receive())["d"]["b"]["s"] == "ok"
    return client


async def listens(client):
    await client.send('{"t":"d","d":{"r":2,"a":"q","b":{"p":"/chat/msgs","h":""}}}')
    await client.expect(put("chat/msgs", "null"), ok(2, "{}"))
    # The data of an own write comes before its ok.
    await client.send('{"t":"d","d":{"r":3,"a":"p","b":{"p":"/chat/msgs/-P6x3rEDu4MH8sm8ua6a","d":{"n":1,"text":"hello"}}}}')
    await client.expect(put("chat/msgs", '{"-P6x3rEDu4MH8sm8ua6a":{"n":1,"text":"hello"}}'), ok(3))
    await client.send('{"t":"d","d":{"r":6,"a":"m","b":{"p":"/chat/msgs","d":{"-P6x3rEDu4MH8sm8ua6a/text":"hi","b":{"text":"x","n":2}}}}}')
    await client.expect(
        '{"t":"d","d":{"a":"m","b":{"p":"chat/msgs","d":{"-P6x3rEDu4MH8sm8ua6a/text":"hi","b":{"n":2,"text":"x"}}}}}', ok(6))
    await client.send('{"t":"d","d":{"r":8,"a":"n","b":{"p":"/chat/msgs"}}}')
    await client.expect(ok(8))
    await client.send('{"t":"d","d":{"r":10,"a":"q","b":{"p":"/chat/msgs","q":{"l":2,"vf":"r","i":"n"},"t":2,"h":""}}}')
    await client.expect(
        put("chat/msgs", '{"-P6x3rEDu4MH8sm8ua6a":{"n":1,"text":"hi"},"b":{"n":2,"text":"x"}}', ',"t":2'), ok(10, "{}"))
    await client.send('{"t":"d","d":{"r":11,"a":"p","b":{"p":"/chat/msgs/d","d":{"n":10,"text":"z"}}}}')
    await client.expect(
        '{"t":"d","d":{"a":"m","b":{"p":"chat/msgs","d":{"-P6x3rEDu4MH8sm8ua6a":null,"d":{"n":10,"text":"z"}},"t":2}}}', ok(11))
    await client.send('{"t":"d","d":{"r":15,"a":"n","b":{"p":"/chat/msgs","q":{"l":2,"vf":"r","i":"n"},"t":2}}}')
    await client.expect(ok(15))
    await client.send('{"t":"d","d":{"r":12,"a":"p","b":{"p":"/chat/msgs/d","d":null}}}')
    await client.expect(ok(12))
    await client.send('{"t":"d","d":{"r":13,"a":"g","b":{"p":"/chat","q":{}}}}')
    await client.expect(
        ok(13, '{"msgs":{"-P6x3rEDu4MH8sm8ua6a":{"n":1,"text":"hi"},"b":{"n":2,"text":"x"}}}'))
    await client.send('{"t":"d","d":{"r":14,"a":"g","b":{"p":"/chat/msgs","q":{"sp":"b","sin":true,"l":1,"vf":"l","i":".key"}}}}')
    await client.expect(ok(14, '{"b":{"n":2,"text":"x"}}'))
    await client.send('{"t":"d","d":{"r":16,"a":"g","b":{"p":"/none","q":{}}}}')
    await client.expect(ok(16, "null"))
    await client.silence()


async def queries(client):
    await client.send('{"t":"d","d":{"r":20,"a":"p","b":{"p":"/q","d":{"a":1,"b":2,"c":3,"d":4}}}}')
    await client.expect(ok(20))
    await client.send(
        '{"t":"d","d":{"r":21,"a":"q","b":{"p":"/q","q":{"l":2,"vf":"l","i":".value"},"t":1,"h":""}}}',
        '{"t":"d","d":{"r":22,"a":"q","b":{"p":"/q","q":{"l":2,"vf":"r","i":".value"},"t":2,"h":""}}}',
        '{"t":"d","d":{"r":23,"a":"q","b":{"p":"/q/b","h":""}}}')
    await client.expect(
        put("q", '{"a":1,"b":2}', ',"t":1'), ok(21, "{}"), put("q", '{"c":3,"d":4}', ',"t":2'), ok(22, "{}"),
        put("q/b", "2"), ok(23, "{}"))
    for number, query, keys in [
        (24, '{"l":1,"vf":"r"}', "d"), (25, '{"sp":"b","sin":true,"ep":"b","ein":true,"i":".key"}', "b"),
        (26, '{"sp":"b","sin":false,"i":".key"}', "cd"), (27, '{"sp":2,"sn":"b","sin":true,"i":".value"}', "bcd"),
        (28, '{"sp":1,"sn":"[MAX_NAME]","sin":false,"ep":4,"en":"[MIN_NAME]","ein":false,"i":".value"}', "bc"),
        (29, '{"sp":null,"sin":true,"ep":null,"ein":true,"i":"n"}', "abcd"),
    ]:
        await client.send('{"t":"d","d":{"r":%d,"a":"g","b":{"p":"/q","q":%s}}}' % (number, query))
        answer = await client.receive()
        assert "".join(answer["d"]["b"]["d"]) == keys, (query, answer)


async def values(client):
    await client.send(
        '{"t":"d","d":{"r":30,"a":"p","b":{"p":"/p","d":{"a":1,".priority":7}}}}',
        '{"t":"d","d":{"r":31,"a":"p","b":{"p":"/pl","d":{".value":"leaf",".priority":3}}}}',
        '{"t":"d","d":{"r":32,"a":"p","b":{"p":"/p/.priority","d":8}}}',
        '{"t":"d","d":{"r":33,"a":"p","b":{"p":"/ts","d":{".sv":"timestamp"}}}}',
        '{"t":"d","d":{"r":34,"a":"p","b":{"p":"/ctr","d":{".sv":{"increment":3}}}}}',
        '{"t":"d","d":{"r":35,"a":"p","b":{"p":"/sp ace/ü/日本","d":"odd"}}}')
    await client.expect(*map(ok, range(30, 36)))
    await client.send(*(
        '{"t":"d","d":{"r":%d,"a":"g","b":{"p":"/%s","q":{}}}}' % (number, path)
        for number, path in [(36, "p"), (37, "pl"), (38, "ctr"), (39, "sp ace/ü/日本"), (40, "ts")]))
    await client.expect(
        ok(36, '{"a":1,".priority":8}'), ok(37, '{".value":"leaf",".priority":3}'), ok(38, "3"), ok(39, '"odd"'))
    stamp = (await client.receive())["d"]["b"]["d"]
    assert abs(stamp / 1000 - time.time()) < 60, stamp
    # Long messages, both ways.
    text = '{"t":"d","d":{"r":57,"a":"p","b":{"p":"/big","d":"%s"}}}' % ("x" * 40_000)
    await client.send("3", text[:16_384], text[16_384:32_768], text[32_768:])
    await client.expect(ok(57))
    await client.send('{"t":"d","d":{"r":58,"a":"g","b":{"p":"/big","q":{}}}}')
    await client.expect(ok(58, '"%s"' % ("x" * 40_000)))


async def transactions(client):
    await client.send('{"t":"d","d":{"r":60,"a":"p","b":{"p":"/tx","d":1}}}')
    await client.expect(ok(60))
    await client.send('{"t":"d","d":{"r":61,"a":"q","b":{"p":"/tx","h":""}}}')
    await client.expect(put("tx", "1"), ok(61, "{}"))
    await client.send('{"t":"d","d":{"r":62,"a":"p","b":{"p":"/tx","d":1,"h":""}}}')
    await client.expect('{"t":"d","d":{"r":62,"b":{"s":"datastale","d":"Transaction hash does not match"}}}')
    await client.send('{"t":"d","d":{"r":63,"a":"p","b":{"p":"/tx","d":2,"h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}}}')
    await client.expect(put("tx", "2"), ok(63))
    # With the hash of what the client holds, there is nothing to push.
    await client.send('{"t":"d","d":{"r":64,"a":"n","b":{"p":"/tx"}}}')
    await client.expect(ok(64))
    await client.send('{"t":"d","d":{"r":65,"a":"p","b":{"p":"/held","d":{"a":1}}}}')
    await client.expect(ok(65))
    await client.send('{"t":"d","d":{"r":66,"a":"q","b":{"p":"/held","h":"gIphxiFGusLh2VwSNVKSvNu90m4="}}}')
    await client.expect(ok(66, "{}"))
    await client.silence()


async def disconnects(client):
    await client.send(
        '{"t":"d","d":{"r":70,"a":"o","b":{"p":"/od/a","d":"gone"}}}',
        '{"t":"d","d":{"r":71,"a":"om","b":{"p":"/od/b","d":{"x":1,"y":{".sv":"timestamp"}}}}}',
        '{"t":"d","d":{"r":72,"a":"o","b":{"p":"/od/d","d":"never"}}}',
        '{"t":"d","d":{"r":73,"a":"oc","b":{"p":"/od/d","d":null}}}')
    await client.expect(*map(ok, range(70, 74)))
    watcher = await Client.connect()
    await watcher.send('{"t":"d","d":{"r":1,"a":"q","b":{"p":"/od","h":""}}}')
    await watcher.expect(put("od", "null"), ok(1, "{}"))
    # The client connects again, and names its session before.
    again = await Client.connect(f"&ls={client.hello['s']}")
    seen = {}
    while not ("a" in seen and "b" in seen):
        body = (await watcher.receive())["d"]["b"]
        path = body["p"].removeprefix("od").strip("/")
        seen.update({path: body["d"]} if path else body["d"])
    assert seen["a"] == "gone" and set(seen["b"]) == {"x", "y"} and "d" not in seen, seen
    await again.silence()
    await again.send('{"t":"d","d":{"r":90,"a":"zz","b":{}}}')
    assert (await again.receive())["d"]["r"] == 90
    await again.socket.close(1000)
    await watcher.socket.close(1001)


async def main():
    client = await begin()
    await listens(client)
    await queries(client)
    await values(client)
    await transactions(client)
    await disconnects(client)
    print("all well")


asyncio.run(main())
