"""firebase-admin with an administrator's secret, acting as a user whom the rules restrict.

    REQUESTS_CA_BUNDLE=certificate.pem firebase_admin_override.py https://127.0.0.1:9000 app.secret
"""

import pathlib
import sys

import firebase_admin
from firebase_admin import db, exceptions

# The classes of SecuredClients.md.
page = pathlib.Path(__file__).resolve().parents[3] / "Sources/Hearth/Hearth.docc/SecuredClients.md"
exec(page.read_text().split("```python\n")[1].split("\nfirebase_admin.initialize_app")[0])


def app(name, user):
    options = {"databaseURL": sys.argv[1], "databaseAuthVariableOverride": user}
    return firebase_admin.initialize_app(Secret(sys.argv[2]), options, name)


ada, nobody = app("ada", {"uid": "ada"}), app("nobody", None)
db.reference("/users/ada/by", ada).set("ada")
assert db.reference("/users/ada/by", ada).get() == "ada"
assert db.reference("/news", nobody).get() is None
for reference in (db.reference("/users/eve", ada), db.reference("/users/ada", nobody)):
    for action in (reference.get, lambda: reference.set(1)):
        try:
            action()
            raise AssertionError("not refused")
        except exceptions.UnauthenticatedError as error:
            # The reason is for administrators, whose credential this is.
            assert "ermission" in str(error) or "rules" in str(error), error
print("all well")
