"""The recipes of Users.md, with issuers on this machine that publish keys in the forms of the four products.

    key_recipes.py HEARTH FOLDER PORT

PORT is free, and so are the three ports after it.
"""

import atexit
import base64
import functools
import hashlib
import http.server
import json
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

hearth, folder, port = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
page = pathlib.Path(__file__).resolve().parents[3] / "Sources/Hearth/Hearth.docc/Users.md"


def run(*words, status=0, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, timeout=60, **options)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """A key pair of an issuer, which OpenSSL makes and signs with."""

    def __init__(self, kind, name):
        self.id, self.kind, self.file = name, kind, folder / f"{name}.pem"
        options = ["rsa_keygen_bits:2048"] if kind == "RSA" else ["ec_paramgen_curve:P-256"]
        run("openssl", "genpkey", "-algorithm", kind, "-pkeyopt", *options, "-out", self.file)

    @functools.cached_property
    def public(self):
        """The key as a JSON Web Key, without what differs between products."""
        if self.kind == "RSA":
            modulus = run("openssl", "rsa", "-in", self.file, "-noout", "-modulus").stdout
            number = bytes.fromhex(modulus.decode().strip().split("=")[1])
            return {"kty": "RSA", "kid": self.id, "n": base64url(number), "e": "AQAB"}
        point = run("openssl", "pkey", "-in", self.file, "-pubout", "-outform", "DER").stdout[-64:]
        return {"kty": "EC", "crv": "P-256", "kid": self.id, "x": base64url(point[:32]), "y": base64url(point[32:])}

    @functools.cached_property
    def certificate(self):
        name = "/CN=securetoken.system.gserviceaccount.com"
        return run("openssl", "req", "-new", "-x509", "-key", self.file, "-subj", name, "-days", "30").stdout.decode()

    def sign(self, text):
        der = run("openssl", "dgst", "-sha256", "-sign", self.file, input=text).stdout
        if self.kind == "RSA":
            return der
        numbers, rest = [], der[2:]
        for _ in range(2):
            length = rest[1]
            numbers.append(rest[2:2 + length].lstrip(b"\0").rjust(32, b"\0"))
            rest = rest[2 + length:]
        return b"".join(numbers)

    def token(self, issuer, audience, user):
        now = int(time.time())
        header = {"alg": "RS256" if self.kind == "RSA" else "ES256", "kid": self.id, "typ": "JWT"}
        claims = {"iss": issuer, "aud": audience, "sub": user, "iat": now, "exp": now + 3600}
        text = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims)).encode()
        return text.decode() + "." + base64url(self.sign(text))


# The documents of the products, for the keys that are valid.

def auth0(keys):
    more = lambda key: {"alg": "RS256", "use": "sig", "x5t": key.id, "x5c": ["".join(key.certificate.split("\n")[1:-2])]}
    return {"keys": [{**key.public, **more(key)} for key in keys]}


def keycloak(keys):
    encryption = {**keys[0].public, "kid": "encryption", "use": "enc", "alg": "RSA-OAEP"}
    return {"keys": [encryption] + [{**key.public, "use": "sig", "alg": "RS256"} for key in keys]}


def supabase(keys):
    return {"keys": [{**key.public, "alg": "ES256", "ext": True, "key_ops": ["verify"]} for key in keys]}


def firebase(keys):
    return {key.id: key.certificate for key in keys}


def local(path):
    return f"https://127.0.0.1:{port}{path}"


class Product:
    def __init__(self, name, kind, document, user, cache):
        self.name, self.document, self.user, self.cache = name, document, user, cache
        section = page.read_text().split(f"### {name}\n")[1].split("\n###")[0].split("\n## ")[0]
        self.url = re.search(r"hearth keys follow (\S+) --out (\S+)", section)[1]
        self.file = folder / re.search(r"hearth keys follow (\S+) --out (\S+)", section)[2]
        self.entry = re.search(r"\{issuer: .*\},", section)[0]
        self.issuer = re.search(r'issuer: "([^"]*)"', self.entry)[1]
        self.audience = re.search(r'audience: "([^"]*)"', self.entry)[1]
        self.path = "/" + self.url.split("/", 3)[3]
        self.keys = [Key(kind, name.lower() + "-1")]
        self.later = Key(kind, name.lower() + "-2")
        self.failure = None
        self.unmodified = 0

    def token(self, key):
        return key.token(self.issuer, self.audience, self.user)

    @property
    def local(self):
        return local(self.path)


products = [
    Product("Auth0", "RSA", auth0, "auth0|5f7c8ec7c33c6c004bbafe82", "public, max-age=15, stale-while-revalidate=15"),
    Product("Keycloak", "RSA", keycloak, "2fcd5e3d-26b0-4a7e-9e86-6a3a4c0e4d6f", "no-cache"),
    Product("Supabase", "EC", supabase, "8a4f9d0e-2f7f-4a52-8c3b-0f0f3a0a9c11", "public, max-age=600"),
    Product("Firebase", "RSA", firebase, "Jm9vYmFyYmF6", "public, max-age=19845, must-revalidate, no-transform"),
]


class Issuer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        product = next((each for each in products if each.path == self.path), None)
        if self.path.endswith("/openid-configuration"):
            body = json.dumps({"issuer": "x", "jwks_uri": products[0].url}).encode()
            return self.answer(200, body, {})
        if product is None:
            return self.answer(302, b"", {"Location": "https://other.example/keys"})
        if product.failure:
            return self.answer(*product.failure, {})
        body = json.dumps(product.document(product.keys)).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()}"'
        fields = {"Cache-Control": product.cache}
        if product.name != "Firebase":
            fields["ETag"] = tag
            if self.headers["If-None-Match"] == tag:
                product.unmodified += 1
                return self.answer(304, b"", fields)
        self.answer(200, body, fields, isChunked=product.name in ("Supabase", "Firebase"))

    def answer(self, status, body, fields, isChunked=False):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if isChunked:
            self.send_header("Transfer-Encoding", "chunked")
            parts = [body[:100], body[100:]]
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts if part) + b"0\r\n\r\n"
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # The client does not want so much.

    def log_message(self, *arguments):
        pass


def serve():
    run(hearth, "keys", "certificate", "127.0.0.1", "--out", folder / "tls")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Issuer)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls/certificate.pem", folder / "tls/certificate.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def follow(product, *words, status=0, path=None):
    return run(hearth, "keys", "follow", local(path or product.path), "--out", product.file, "--once", "--ca",
               folder / "tls/certificate.pem", *words, status=status)


def start(*words):
    log = open(folder / f"{words[1]}-{time.monotonic_ns()}.log", "wb")
    program = subprocess.Popen([str(word) for word in (hearth, *words)], stdout=log, stderr=log)
    program.log = pathlib.Path(log.name)
    atexit.register(program.kill)
    return program


def status(product, key):
    """The answer to the user of a token who reads what only this user may."""
    address = f"http://127.0.0.1:{port + 1}/who/{urllib.request.quote(product.user)}.json"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {product.token(key)}"})
    try:
        return urllib.request.urlopen(request, timeout=10).status
    except urllib.error.HTTPError as error:
        return error.code


def eventually(what, seconds=30):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, [program.log.read_text() for program in programs]
        time.sleep(0.1)


def cluster():
    secret = run(hearth, "keys", "secret", folder / "app.secret").stdout.decode()
    (folder / "cluster.json5").write_text(
        "{cluster: 'recipes', directory: 'data', " + secret
        + "tokens: {issuers: [" + "".join(each.entry for each in products) + "]},"
        + f"nodes: [{{id: 'n1', client: 'http://127.0.0.1:{port + 1}', requests: 'tcp://127.0.0.1:{port + 2}',"
        + f" updates: 'tcp://127.0.0.1:{port + 3}'}}]}}")
    (folder / "rules.json").write_text('{"rules": {"who": {"$uid": {".read": "auth.uid == $uid"}}}}')
    node = start("node", "--config", folder / "cluster.json5", "--id", "n1")
    deadline = time.monotonic() + 20
    while "serving clients" not in node.log.read_text():
        assert time.monotonic() < deadline, node.log.read_text()
        time.sleep(0.05)
    run(hearth, "rules", "set", folder / "rules.json", "--config", folder / "cluster.json5",
        "--secret", folder / "app.secret")
    return node


def check_errors():
    """What is wrong is said, and the file stays."""
    product = products[0]
    before = product.file.read_bytes()
    untrusted = run(hearth, "keys", "follow", product.local, "--out", product.file, "--once", status=69)
    assert b"cannot trust" in untrusted.stderr and b"--ca FILE" in untrusted.stderr, untrusted.stderr
    no_file = run(hearth, "keys", "follow", product.local, "--out", product.file, "--ca", folder / "none.pem", status=66)
    assert b"none.pem: No such file" in no_file.stderr, no_file.stderr
    private = json.dumps({"keys": [{**product.keys[0].public, "d": "AQAB"}]}).encode()
    for failure, code, text in [
            ((500, b""), 69, "answered 500"), ((200, b"<html>"), 65, "has no key"),
            ((200, b'{"keys":[]}'), 65, "is a set without keys"), ((200, private), 65, "has a private key"),
            ((200, b" " * (1 << 20) + b"{}"), 69, "has more than 1048576 bytes")]:
        product.failure = failure
        refused = follow(product, "--json", status=code)
        told = json.loads(refused.stdout)
        assert told["outcome"] == "failed" and text in told["problem"], told
        assert text.encode() in refused.stderr, refused.stderr
    product.failure = None
    discovery = follow(product, status=65, path="/.well-known/openid-configuration")
    assert f"follow its jwks_uri: {product.url}".encode() in discovery.stderr, discovery.stderr
    assert b"https://other.example/keys" in follow(product, status=69, path="/elsewhere").stderr
    assert run(hearth, "keys", "follow", "http://10.0.0.1/keys", "--out", "x", status=64)
    assert product.file.read_bytes() == before
    assert json.loads(follow(product, "--json").stdout) == {"file": str(product.file), "outcome": "unchanged"}


(folder / "keys").mkdir()
serve()
for product in products:
    assert follow(product).stdout.decode().startswith(f"{product.file} has 1 key: "), product.name
check_errors()
programs = [cluster()]
for product in products:
    assert status(product, product.keys[0]) == 200, product.name
    assert status(product, product.later) == 401, product.name
    programs.append(start("keys", "follow", product.local, "--out", product.file, "--every", 1,
                          "--ca", folder / "tls/certificate.pem"))

# The issuers begin to sign with other keys, and later withdraw the old ones.
for product in products:
    product.keys.append(product.later)
for product in products:
    eventually(lambda: status(product, product.later) == 200)
    assert status(product, product.keys[0]) == 200, product.name
old = [product.keys.pop(0) for product in products]
for product, key in zip(products, old):
    eventually(lambda: status(product, key) == 401)
    assert status(product, product.later) == 200, product.name

# While an issuer fails, its last keys count.
files = [product.file.read_bytes() for product in products]
for product, failure in zip(products, [(500, b""), (503, b""), (200, b"{}"), (404, b"")]):
    product.failure = failure
eventually(lambda: all("next attempt in" in follower.log.read_text() for follower in programs[1:]))
assert [product.file.read_bytes() for product in products] == files
for product in products:
    assert status(product, product.later) == 200, product.name
    product.failure = None
    before = product.unmodified
    eventually(lambda: product.unmodified > before or product.name == "Firebase")

# A lost file returns, although the issuer's keys are the same.
for product in products:
    product.file.unlink()
eventually(lambda: all(product.file.exists() for product in products))
assert [product.file.read_bytes() for product in products] == files
for follower in programs[1:]:
    follower.terminate()
    assert follower.wait(10) == 0
print("all well")
