"""Pyrebase4 or firebase-rest-api with a user's token in a cluster with TLS, tokens and rules.

    REQUESTS_CA_BUNDLE=certificate.pem pyrebase_token.py https://127.0.0.1:9000 ada.token pyrebase
"""

import importlib
import os
import sys
import time

import requests

url, file, module = sys.argv[1:]
token = open(file).read().strip()
settings = {"apiKey": "", "authDomain": "", "storageBucket": "", "projectId": "x",
            "databaseURL": url + "/"}
db = importlib.import_module(module).initialize_app(settings).database()

assert db.child("users").child("ada").child("py").set({"n": 1}, token) == {"n": 1}
assert db.child("users").child("ada").child("py").get(token).val() == {"n": 1}
events = []
db.child("users").child("ada").child("py").stream(events.append, token)
deadline = time.time() + 10
while not events:
    assert time.time() < deadline
    time.sleep(0.02)
assert events[0]["data"] == {"n": 1}, events
for action in (lambda: db.child("users").child("eve").get(token), lambda: db.child("users").child("ada").get(),
               lambda: db.child("users").child("eve").set(1, token)):
    try:
        action()
        raise AssertionError("not refused")
    except requests.exceptions.HTTPError as error:
        assert "Permission denied" in str(error), error
print("all well")
# The stream's thread reads until its process ends.
sys.stdout.flush()
os._exit(0)
