"""Pyrebase4, or firebase-rest-api, which began as a copy of it, against a node: verbs, queries, ETags and streams.

    pyrebase_client.py pyrebase http://127.0.0.1:9000
    pyrebase_client.py firebase http://127.0.0.1:9000
"""

import importlib
import os
import sys
import time

module, url = sys.argv[1:]
app = importlib.import_module(module).initialize_app({
    "apiKey": "", "authDomain": "", "storageBucket": "", "projectId": "x", "databaseURL": url + "/"})
db = app.database()


def eventually(what, condition):
    deadline = time.time() + 10
    while not condition():
        assert time.time() < deadline, what
        time.sleep(0.02)


db.child("pyrebase").remove()
assert db.child("pyrebase").get().val() is None
people = {"ada": {"n": 3}, "bob": {"n": 1}, "cy": {"n": 2}}
assert db.child("pyrebase").set(people) == people
assert db.child("pyrebase").get().val() == people
assert db.child("pyrebase").child("ada").update({"m": 4}) == {"m": 4}
assert db.child("pyrebase").child("ada").get().val() == {"m": 4, "n": 3}
name = db.child("pyrebase").child("list").push({"t": 1})["name"]
assert len(name) == 20
assert db.child("pyrebase").child("list").child(name).get().val() == {"t": 1}
db.child("pyrebase").child("list").remove()
assert set(db.child("pyrebase").shallow().get().val()) == {"ada", "bob", "cy"}
assert db.update({"pyrebase/ada/k": 5, "pyrebase/bob/k": 6}) == {
    "pyrebase/ada/k": 5, "pyrebase/bob/k": 6}


def keys(query):
    return [child.key() for child in query.get().each() or []]


assert keys(db.child("pyrebase").order_by_child("n").limit_to_first(2)) == ["bob", "cy"]
assert keys(db.child("pyrebase").order_by_child("n").start_at(2)) == ["cy", "ada"]
assert keys(db.child("pyrebase").order_by_child("n").equal_to(1)) == ["bob"]
assert keys(db.child("pyrebase").order_by_key().limit_to_last(1)) == ["cy"]
assert keys(db.child("pyrebase").order_by_key().start_at("b").end_at("bz")) == ["bob"]



def etag(reference):
    """One of the two returns the value beside it."""
    answer = reference.get_etag()
    return answer["ETag"] if isinstance(answer, dict) else answer


tag = etag(db.child("pyrebase").child("ada"))
changed = db.child("pyrebase").child("ada").conditional_set({"n": 9}, "wrong")
assert changed["ETag"] == tag, changed
assert db.child("pyrebase").child("ada").conditional_set({"n": 9}, tag) == {"n": 9}
assert "ETag" in db.child("pyrebase").child("ada").conditional_remove("wrong")
tag = etag(db.child("pyrebase").child("ada"))
assert db.child("pyrebase").child("ada").conditional_remove(tag) is None

events = []
stream = db.child("pyrebase").stream(
    lambda event: events.append((event["event"], event["path"], event["data"])))
eventually("the first event", lambda: len(events) == 1)
assert events[0] == ("put", "/", {"bob": {"n": 1, "k": 6}, "cy": {"n": 2}}), events
db.child("pyrebase").child("cy").set({"n": 7})
db.child("pyrebase").update({"a": 1, "b": 2})
eventually("three events", lambda: len(events) == 3)
assert events[1:] == [("put", "/cy/n", 7), ("patch", "/", {"a": 1, "b": 2})], events

print("all well")
# The stream's thread reads until its process ends.
sys.stdout.flush()
os._exit(0)
