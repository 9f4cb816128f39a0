"""Pyrebase4 against a node with a certificate and secrets, which its argument `token` shows.

    REQUESTS_CA_BUNDLE=certificate.pem pyrebase_secret.py https://127.0.0.1:9000 app.secret
"""

import os
import sys
import time

import pyrebase
import requests

url, file = sys.argv[1:]
secret = open(file).read().strip()
other = ("y" if secret[0] == "x" else "x") + secret[1:]
app = pyrebase.initialize_app(
    {"apiKey": "", "authDomain": "", "storageBucket": "", "databaseURL": url + "/"})
db = app.database()


def place():
    return db.child("pyrebase").child("secret")


assert place().set({"n": 1}, secret) == {"n": 1}
assert place().get(secret).val() == {"n": 1}
assert place().update({"m": 2}, secret) == {"m": 2}
assert len(place().child("list").push(3, secret)["name"]) == 20
place().child("list").remove(secret)

events = []
place().stream(lambda event: events.append((event["event"], event["path"], event["data"])), secret)
deadline = time.time() + 10
while not events:
    assert time.time() < deadline
    time.sleep(0.02)
assert events == [("put", "/", {"n": 1, "m": 2})], events

for token in (None, other):
    text = "Could not parse auth token." if token else "Permission denied"
    for action in (lambda: place().get(token), lambda: place().set(1, token),
                   lambda: place().remove(token)):
        try:
            action()
            raise AssertionError("not refused")
        except requests.exceptions.HTTPError as error:
            assert text in str(error), error
assert place().get(secret).val() == {"n": 1, "m": 2}

print("all well")
# The stream's thread reads until its process ends.
sys.stdout.flush()
os._exit(0)
