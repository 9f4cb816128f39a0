"""firebase-admin against a node with a certificate and secrets, with a credential that shows a secret.

    REQUESTS_CA_BUNDLE=certificate.pem firebase_admin_secret.py https://127.0.0.1:9000 app.secret
"""

import contextlib
import io
import os
import pathlib
import sys
import time

url, file = sys.argv[1:]

import firebase_admin
import google.auth.credentials
from firebase_admin import credentials, db, exceptions


class Token(google.auth.credentials.Credentials):
    """A token that never expires."""

    def __init__(self, token):
        super().__init__()
        self.token = token

    def refresh(self, request):
        pass


class Secret(credentials.Base):
    """A secret of the cluster."""

    def __init__(self, text):
        super().__init__()
        self.text = text

    def get_credential(self):
        return Token(self.text)


# The example of SecuredClients.md, at this address.
page = pathlib.Path(__file__).resolve().parents[3] / "Sources/Hearth/Hearth.docc/SecuredClients.md"
example = page.read_text().split("```python\n")[1].split("```")[0]
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(example.replace("https://10.0.0.1:7001", url).replace("app.secret", file), {})
assert printed.getvalue() == "None\n", printed.getvalue()
firebase_admin.delete_app(firebase_admin.get_app())

secret = open(file).read().strip()
other = ("y" if secret[0] == "x" else "x") + secret[1:]
right = firebase_admin.initialize_app(Secret(secret), {"databaseURL": url})
wrong = firebase_admin.initialize_app(Secret(other), {"databaseURL": url}, "wrong")

reference = db.reference("/admin/secret", right)
reference.set({"n": 1})
assert reference.get() == {"n": 1}
assert reference.child("n").transaction(lambda count: count + 1) == 2
events = []
listener = reference.listen(lambda event: events.append((event.event_type, event.path, event.data)))
reference.child("n").set(7)
deadline = time.time() + 10
while len(events) < 2:
    assert time.time() < deadline, events
    time.sleep(0.02)
assert events[-1] == ("put", "/n", 7), events

stranger = db.reference("/admin/secret", wrong)
for action in (stranger.get, lambda: stranger.set(1), lambda: stranger.push(1), stranger.delete):
    try:
        action()
        raise AssertionError("not refused")
    except exceptions.UnauthenticatedError as error:
        assert str(error) == "Could not parse auth token.", error
assert reference.get() == {"n": 7}

print("all well")
# The listener's thread reads until its process ends.
sys.stdout.flush()
os._exit(0)
