"""Long polls as Firebase's client in a browser sends them, against a node: the session, its messages, its end.

    long_poll.py http://127.0.0.1:9000
"""

import base64
import json
import re
import sys
import threading
import time
import urllib.parse
import urllib.request

address = sys.argv[1]


def get(timeout=30, **parameters):
    query = urllib.parse.urlencode({"ser": 77793204, "ns": "test", **parameters}, safe="-_.")
    with urllib.request.urlopen(f"{address}/.lp?{query}", timeout=timeout) as answer:
        assert answer.headers["Content-Type"].startswith("application/javascript"), answer.headers
        return answer.read().decode()


class Session:
    def __init__(self, **parameters):
        script = get(start="t", cb=1, v=5, **parameters)
        self.id, self.password = re.search(r'pLPCommand\("start","(\w+)","(\w+)"\)', script).groups()
        assert 'parent.window["pLPCommand1"]' in script, script
        self.messages = self.read(script, 0)
        assert self.messages[0]["d"]["t"] == "h", self.messages
        self.name = self.messages.pop(0)["d"]["d"]["s"]
        self.answers = 0
        self.segments = 0

    @staticmethod
    def read(script, number):
        found = re.search(r"pRTLPCB\((\d+),(\[.*\])\);", script, re.S)
        assert found and int(found[1]) == number, script
        return json.loads(found[2])

    def poll(self, **parameters):
        """Sends one poll; what it is answered by is added to the messages."""
        script = get(id=self.id, pw=self.password, **parameters)
        self.answers += 1
        self.messages += self.read(script, self.answers)
        return script

    def send(self, message):
        """Sends a message in segments, each by a poll of its own."""
        text = base64.urlsafe_b64encode(message.encode()).decode().replace("=", ".")
        parts = [text[index:index + 1_600] for index in range(0, len(text), 1_600)]
        for part in parts:
            last = part is parts[-1]
            poll = threading.Thread(
                target=self.poll, kwargs={"seg0": self.segments, "ts0": len(parts), "d0": part})
            poll.start()
            self.segments += 1
            if not last:
                # It is held until the next one comes.
                time.sleep(0.05)
                assert poll.is_alive()
        poll.join(30)

    def request(self, number, action, body):
        self.messages.clear()
        self.send(json.dumps({"t": "d", "d": {"r": number, "a": action, "b": body}}))
        deadline = time.time() + 20
        while not any(message["d"].get("r") == number for message in self.messages):
            assert time.time() < deadline, self.messages
            self.poll()
        return self.messages


first, second = Session(), Session()
assert first.id != second.id and first.name != second.name
assert first.request(1, "s", {"c": {"sdk.js.12-18-0": 1}})[-1]["d"]["b"]["s"] == "ok"
messages = first.request(2, "q", {"p": "/poll", "h": ""})
assert messages[0]["d"] == {"a": "d", "b": {"p": "poll", "d": None}}, messages
assert messages[1]["d"]["b"] == {"s": "ok", "d": {}}, messages

# A held poll is answered as soon as there is something to tell.
first.messages.clear()
held = threading.Thread(target=first.poll)
began = time.time()
held.start()
time.sleep(0.3)
assert held.is_alive()
assert second.request(1, "p", {"p": "/poll/a", "d": "é\u2028"})[-1]["d"]["b"]["s"] == "ok"
held.join(10)
assert 0.3 <= time.time() - began < 5
assert first.messages[0]["d"]["b"] == {"p": "poll", "d": {"a": "é\u2028"}}, first.messages

# A long message goes in segments, and a large value comes whole.
large = "x" * 6_000
assert second.request(2, "p", {"p": "/long", "d": large})[-1]["d"]["b"]["s"] == "ok"
assert second.request(3, "g", {"p": "/long", "q": {}})[-1]["d"]["b"]["d"] == large

# A client that begins again names its session before, whose writes on its end are done then.
assert second.request(4, "o", {"p": "/gone", "d": True})[-1]["d"]["b"]["s"] == "ok"
third = Session(ls=second.name)
assert third.request(1, "g", {"p": "/gone", "q": {}})[-1]["d"]["b"]["d"] is True

# So are those of a page that is left.
assert third.request(2, "o", {"p": "/left", "d": 7})[-1]["d"]["b"]["s"] == "ok"
get(id=third.id, pw=third.password, disconn="t")
assert first.request(3, "g", {"p": "/left", "q": {}})[-1]["d"]["b"]["d"] == 7
assert get(id=third.id, pw=third.password) == 'pLPCommand("close");\n'
assert get(id=first.id, pw="x" * len(first.password)) == 'pLPCommand("close");\n'
print("all well")
