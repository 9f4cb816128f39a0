"""The options of the web chat's server. Arguments: the folder of the web chat, a certificate and its private key."""

import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

example, certificate, private_key = sys.argv[1:4]
folder = Path(tempfile.mkdtemp())
key = Path(private_key)
users = folder / "users.json"


def server(*words, typed=""):
    outcome = subprocess.run(
        [sys.executable, f"{example}/server.py", "--users", users, *words],
        input=typed, capture_output=True, text=True, timeout=20)
    return outcome.returncode, outcome.stdout, outcome.stderr


def refuses(reason, *words, typed=""):
    status, _, errors = server(*words, typed=typed)
    assert status != 0 and reason in errors and "Traceback" not in errors, errors


# Users
refuses("begins with a letter", "add", "Ada")
refuses("the password is empty", "add", "ada", typed="\n")
refuses("the passwords differ", "add", "ada", typed="one\ntwo\n")
assert not users.exists()
status, output, errors = server("add", "ada", typed="one\none\n")
assert (status, output) == (0, f"ada is in {users}\n"), errors
assert users.stat().st_mode & 0o777 == 0o600

# Options that cannot work
run = ["run", "--key", key, "--nodes"]
refuses("check no fingerprint", *run, "https://127.0.0.1:7001#sha256=00")
for nodes in ("127.0.0.1:7001", "http://127.0.0.1:7001,", "http://127.0.0.1:7001 http://127.0.0.1:7011"):
    refuses("is not an address", *run, nodes)
refuses("No such file", "run", "--key", folder / "none", "--nodes", "http://127.0.0.1:7001")
refuses("is no private key", "run", "--key", certificate, "--nodes", "http://127.0.0.1:7001")
refuses("--listen needs --certificate", *run, "http://127.0.0.1:7001", "--listen", "127.0.0.2")
refuses(f"cannot use {folder}/none: ", *run, "http://127.0.0.1:7001", "--certificate", folder / "none")
with socket.create_server(("127.0.0.1", 0)) as listener:
    port = str(listener.getsockname()[1])
    refuses("Address already in use", *run, "http://127.0.0.1:7001", "--port", port)

# TLS. A client without a handshake delays no other.
process = subprocess.Popen(
    [sys.executable, f"{example}/server.py", "--users", users, *run, "https://127.0.0.1:7001/", "--listen", "127.0.0.2",
     "--port", port, "--certificate", certificate, "--certificate-key", private_key],
    stdout=subprocess.PIPE, text=True)
try:
    address = process.stdout.readline().split()[1]
    assert address == f"https://127.0.0.2:{port}/", address
    with socket.create_connection(("127.0.0.2", int(port))):
        trust = ssl.create_default_context(cafile=certificate)
        trust.check_hostname = False
        with urllib.request.urlopen(address, context=trust, timeout=10) as answer:
            assert b"<title>Hearth chat" in answer.read()
            assert "connect-src 'self' https://127.0.0.1:7001;" in answer.headers["Content-Security-Policy"]
finally:
    process.kill()
    process.wait()
print("all well")
