"""firebase-admin against a node: its verbs, queries, ETags, transactions and listeners; and the node's metrics.

    firebase_admin_client.py http://127.0.0.1:9000
"""

import os
import sys
import time
import urllib.request

url = sys.argv[1]
os.environ["FIREBASE_DATABASE_EMULATOR_HOST"] = url.removeprefix("http://")

import firebase_admin
from firebase_admin import db, exceptions
from prometheus_client.parser import text_string_to_metric_families

firebase_admin.initialize_app(
    options={"databaseURL": "https://x.firebaseio.com", "projectId": "x"})
root = db.reference("/admin")


def eventually(what, condition):
    deadline = time.time() + 10
    while not condition():
        assert time.time() < deadline, what
        time.sleep(0.02)


def refusal(action):
    try:
        action()
    except exceptions.FirebaseError as error:
        return error
    raise AssertionError("not refused")


# Verbs.
root.delete()
assert root.get() is None
people = {"a": {"n": 3}, "b": {"n": 1}, "c": {"n": 2}}
root.set(people)
assert root.get() == people
assert root.get(shallow=True) == {"a": True, "b": True, "c": True}
root.update({"d": 4, "a/n": 5})
assert root.get() == {"a": {"n": 5}, "b": {"n": 1}, "c": {"n": 2}, "d": 4}
child = root.child("list").push({"t": 1})
assert child.get() == {"t": 1} and len(child.key) == 20
assert root.child("list").push().get() == ""
root.child("sp ace+plus&é").set("odd")
assert root.child("sp ace+plus&é").get() == "odd"

# ETags.
value, tag = root.get(etag=True)
assert root.get_if_changed(tag) == (False, None, None)
assert root.get_if_changed("other") == (True, value, tag)
assert root.set_if_unchanged("invalid-etag", 1) == (False, value, tag)
done, written, next_tag = root.set_if_unchanged(tag, people)
assert done and written == people and next_tag != tag

# Transactions.
counter = root.child("counter")
for number in range(1, 6):
    assert counter.transaction(lambda count: (count or 0) + 1) == number
refused = root.child("refused")
try:
    refused.transaction(lambda _: 1 / 0)
except ZeroDivisionError:
    pass
assert refused.get() is None

# Queries.
dinosaurs = db.reference("/dinosaurs")
dinosaurs.set({
    "bruhat": {"height": 0.6}, "lambeo": {"height": 2.1}, "linhe": {"height": 0.6},
    "stego": {"height": 4}})


def keys(query):
    return list(query.get())


assert keys(dinosaurs.order_by_child("height").limit_to_first(2)) == ["bruhat", "linhe"]
assert keys(dinosaurs.order_by_child("height").limit_to_last(1)) == ["stego"]
assert keys(dinosaurs.order_by_child("height").start_at(2)) == ["lambeo", "stego"]
assert keys(dinosaurs.order_by_child("height").end_at(2)) == ["bruhat", "linhe"]
assert keys(dinosaurs.order_by_child("height").equal_to(4)) == ["stego"]
assert keys(dinosaurs.order_by_key().start_at("l").end_at("li")) == ["lambeo"]
assert keys(dinosaurs.order_by_key().equal_to("linhe")) == ["linhe"]
scores = db.reference("/scores")
scores.set({"a": 3, "b": 1, "c": 2})
assert keys(scores.order_by_value().limit_to_last(2)) == ["c", "a"]

# Errors have Firebase's texts.
invalid = refusal(lambda: root.set({"a.b": 1}))
assert isinstance(invalid, exceptions.InvalidArgumentError), invalid
assert str(invalid).startswith("Invalid data; couldn't parse JSON object, array, or value."), invalid

# Listeners.
events = []
listener = root.listen(lambda event: events.append((event.event_type, event.path, event.data)))
eventually("the first event", lambda: len(events) == 1)
assert events[0][:2] == ("put", "/") and events[0][2]["a"] == {"n": 3}, events
root.child("a/n").set(7)
root.update({"b": None, "e": 1})
eventually("three events", lambda: len(events) == 3)
assert events[1:] == [("put", "/a/n", 7), ("patch", "/", {"b": None, "e": 1})], events

# What Prometheus reads.
text = urllib.request.urlopen(url + "/metrics").read().decode()
families = {family.name: family for family in text_string_to_metric_families(text)}
assert families["hearth_serving"].samples[0].value == 1
assert families["hearth_turn_seconds"].type == "histogram"
puts = [
    sample.value for sample in families["hearth_http_requests"].samples
    if sample.labels == {"method": "PUT", "code": "200"}]
assert puts and puts[0] > 5, text

print("all well")
# The listener's thread reads until its process ends.
sys.stdout.flush()
os._exit(0)
