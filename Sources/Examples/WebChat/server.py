"""The web server of the chat: it serves the page, and signs a token for a user with the right password.

    python3 server.py add ada           # asks for the password of a new user
    python3 server.py run --key signing.key --nodes http://127.0.0.1:7001,http://127.0.0.1:7011
"""

import argparse
import base64
import contextlib
import getpass
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import ssl
import subprocess
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).parent


def token(user, key, issuer, hours=12):
    """A token that Hearth accepts: a JSON Web Token, signed with the private key whose public half the nodes have."""
    def part(content):
        return base64.urlsafe_b64encode(content).rstrip(b"=")

    now = int(time.time())
    payload = {"iss": issuer, "aud": issuer, "sub": user, "iat": now, "exp": now + hours * 3600}
    text = part(b'{"alg": "ES256", "typ": "JWT"}') + b"." + part(json.dumps(payload).encode())
    return (text + b"." + part(signature(text, key))).decode()


def signature(text, key):
    """The signature by a key on P-256: two numbers of 32 bytes (RFC 7518). Python has no such function, so OpenSSL signs."""
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=text, capture_output=True, check=True).stdout
    # A sequence of two numbers; each has a tag, its length, and its bytes.
    end = 4 + der[3]
    return b"".join(number[-32:].rjust(32, b"\0") for number in (der[4:end], der[end + 2:]))


class Users:
    """A file with a salted hash of each user's password."""

    def __init__(self, file):
        self.file = Path(file)

    def hashes(self):
        return json.loads(self.file.read_text()) if self.file.exists() else {}

    def digest(self, password, salt):
        return hashlib.scrypt(password.encode(), salt=salt.encode(), n=2**14, r=8, p=1).hex()

    def add(self, name, password):
        salt = secrets.token_hex(16)
        content = json.dumps(self.hashes() | {name: [salt, self.digest(password, salt)]}, indent=2)
        # Only the owner may read the file, from its first byte on.
        with open(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(content)

    def accept(self, name, password):
        # An unknown name takes as long as a wrong password.
        salt, digest = self.hashes().get(name, ["", ""])
        return hmac.compare_digest(self.digest(password, salt), digest)


class Handler(SimpleHTTPRequestHandler):
    """Serves the folder `web`, and answers `POST /token` with the token and the addresses of the nodes."""

    timeout = 30  # seconds without a byte from the browser

    def __init__(self, *arguments, users, sign, nodes):
        self.users, self.sign, self.nodes = users, sign, nodes
        super().__init__(*arguments, directory=HERE / "web")

    def do_POST(self):
        try:
            sign_in = json.loads(self.rfile.read(min(int(self.headers["Content-Length"]), 1000)))
            user, password = str(sign_in["user"]), str(sign_in["password"])
        except (ValueError, KeyError, TypeError):
            return self.send_error(400)
        if self.path != "/token" or not self.users.accept(user, password):
            return self.send_error(401, "wrong name or password")
        answer = {"user": user, "token": self.sign(user), "nodes": self.nodes}
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def end_headers(self):
        # The page may run its own scripts alone, and connect to nothing but this server and the nodes.
        policy = f"default-src 'self'; connect-src 'self' {' '.join(self.nodes)}; frame-ancestors 'none'"
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def user_name(text):
    if not re.fullmatch("[a-z][a-z0-9-]{0,29}", text):
        raise argparse.ArgumentTypeError("a name has up to 30 characters of a-z, 0-9 and -, and begins with a letter")
    return text


def signing_key(file):
    try:
        text = Path(file).read_text(errors="replace")
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot read {file}: {error.strerror}") from error
    if "PRIVATE KEY-----" not in text:
        raise argparse.ArgumentTypeError(f"{file} is no private key: `hearth setup --tokens` writes signing.key")
    if not shutil.which("openssl"):
        raise argparse.ArgumentTypeError("the program openssl is missing, which signs the tokens")
    return file


def node_addresses(text):
    nodes = [node.rstrip("/") for node in text.split(",")]
    for node in nodes:
        if "#" in node:
            raise argparse.ArgumentTypeError(f"{node}: browsers check no fingerprint; they need a trusted certificate")
        if not re.fullmatch(r"https?://[^/?\s]+", node):
            raise argparse.ArgumentTypeError(f"{node!r} is not an address such as http://127.0.0.1:7001")
    return nodes


def new_password(user):
    password = getpass.getpass(f"password of {user}: ")
    if not password:
        raise SystemExit("error: the password is empty")
    if getpass.getpass("the same again: ") != password:
        raise SystemExit("error: the passwords differ")
    return password


def server(options):
    """A server at the address of the options, with TLS if they name a certificate."""
    sign = partial(token, key=options.key, issuer=options.issuer)
    handler = partial(Handler, users=Users(options.users), sign=sign, nodes=options.nodes)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) if options.certificate else None
    try:
        if context:
            context.load_cert_chain(options.certificate, options.certificate_key)
    except OSError as error:
        files = " with ".join(filter(None, [options.certificate, options.certificate_key]))
        raise SystemExit(f"error: cannot use {files}: {error}") from error
    try:
        server = ThreadingHTTPServer((options.listen, options.port), handler)
    except OSError as error:
        raise SystemExit(f"error: cannot listen at {options.listen}:{options.port}: {error.strerror}") from error
    if context:
        # The thread of each connection makes the handshake, so a slow browser delays no other.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--users", default="users.json", help="the file of users (users.json)")
    verbs = parser.add_subparsers(required=True, dest="verb")
    add = verbs.add_parser("add", help="adds a user, or changes the password")
    add.add_argument("user", type=user_name)
    run = verbs.add_parser("run", help="serves the chat")
    run.add_argument("--key", type=signing_key, required=True, help="the private key that signs tokens for the cluster")
    run.add_argument("--issuer", default="cluster", help="the name of the cluster, which is the issuer of the tokens (cluster)")
    run.add_argument("--nodes", type=node_addresses, required=True,
                     help="the addresses of the nodes for browsers, separated by commas")
    run.add_argument("--port", type=int, default=8000)
    run.add_argument("--listen", default="127.0.0.1", metavar="HOST",
                     help="the name or address of this machine (127.0.0.1); others than that need a certificate")
    run.add_argument("--certificate", metavar="FILE", help="a PEM file with a certificate for HOST: serve with TLS")
    run.add_argument("--certificate-key", metavar="FILE", help="its private key, unless it is in the same file")
    options = parser.parse_args()

    if options.verb == "add":
        Users(options.users).add(options.user, new_password(options.user))
        return print(f"{options.user} is in {options.users}")
    if options.listen != "127.0.0.1" and not options.certificate:
        run.error("--listen needs --certificate: without TLS, others in the network can read passwords and tokens")
    with server(options) as running, contextlib.suppress(KeyboardInterrupt):
        print(f"open http{'s' if options.certificate else ''}://{options.listen}:{options.port}/", flush=True)
        running.serve_forever()


if __name__ == "__main__":
    main()
