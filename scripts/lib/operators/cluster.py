"""Real nodes in network namespaces, and the requests of clients and operators."""

import collections
import http.client
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import threading
import time
from urllib.parse import quote, urlsplit

NETWORK = "10.77.0."
Write = collections.namedtuple("Write", "kind database path value node begun ended outcome")


def shell(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


class Node:
    """A node: its namespace, its process, its folder and its clock."""

    def __init__(self, number, folder, program, clock_library):
        self.number, self.name, self.address = number, f"n{number}", f"{NETWORK}{number}"
        self.folder, self.log = folder / self.name, folder / f"{self.name}.log"
        self.program, self.config, self.process, self.paused = program, folder / "cluster.json5", None, False
        self.environment = dict(os.environ)
        self.clock_file = folder / f"{self.name}.clock"
        self.clock_file.write_bytes(bytes(8))
        if clock_library:
            self.environment |= {"LD_PRELOAD": str(clock_library), "OPERATORS_CLOCK": str(self.clock_file)}
        self.crashes = []
        self.folder.mkdir()
        self.log.touch()
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self.link = f"{self.name}-{self.holder.pid}"
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        shell("ip", "link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.holder.pid)
        shell("ip", "link", "set", self.link, "master", "operators", "up")
        self.inside("ip", "address", "add", f"{self.address}/24", "dev", "eth0")
        for link in ("eth0", "lo"):
            self.inside("ip", "link", "set", link, "up")

    @property
    def entering(self):
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]

    def inside(self, *words):
        shell(*self.entering, *words)

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        if self.runs:
            return
        self.record_crash()
        words = [self.program, "node", "--config", self.config, "--id", self.name, "--insecure"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.entering, *map(str, words)], stderr=log, stdout=log, env=self.environment)

    def record_crash(self):
        if self.process is not None and self.process.returncode < 0:
            last = self.log.read_text(errors="replace").splitlines()[-4:]
            self.crashes.append(f"signal {-self.process.returncode}, {' / '.join(last)}")

    def end(self, number):
        if not self.runs:
            self.record_crash()
        else:
            self.resume()
            self.process.send_signal(number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)
        self.paused = True

    def resume(self):
        if self.paused and self.runs:
            self.process.send_signal(signal.SIGCONT)
        self.paused = False

    def step_clock(self, seconds):
        with self.clock_file.open("r+b") as file, mmap.mmap(file.fileno(), 8) as memory:
            memory[:8] = struct.pack("q", seconds)

    def request(self, method, path, body=None, headers=(), timeout=2, database="default"):
        """Returns the status, the headers, the JSON and the name of the node that answered; follows redirects."""
        target, question = self.address, f"{quote(path)}.json?ns={database}"
        question += "&format=export" if method == "GET" else ""
        for _ in range(4):
            connection = http.client.HTTPConnection(target, 7001, timeout=timeout)
            try:
                connection.request(method, "/" + question, body, dict(headers))
                response = connection.getresponse()
                text = response.read()
            finally:
                connection.close()
            if response.status != 307:
                break
            place = urlsplit(response.headers["Location"])
            target, question = place.hostname, f"{place.path[1:]}?{place.query}"
        try:
            value = json.loads(text)
        except ValueError:
            value = text.decode(errors="replace")
        return response.status, response.headers, value, f"n{target.removeprefix(NETWORK)}"


class Cluster:
    """Nodes in a folder, their network, and what clients wrote to them."""

    def __init__(self, folder, program, count, clock_library=None, unknown="refuse"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.program, self.unknown = folder, program, unknown
        self.has_clocks = clock_library is not None
        help_text = subprocess.run([program, "restore", "--help"], capture_output=True, text=True).stdout
        self.has_whole_backups = "--whole-cluster" in help_text
        self.nodes = {f"n{i}": Node(i, folder, program, clock_library) for i in range(1, count + 1)}
        self.members, self.cuts, self.lock = list(self.nodes), set(), threading.Lock()
        self.databases, self.removed = ["default"], set()
        self.configure(self.members)
        self.begin("first")
        for node in self.nodes.values():
            node.start()

    def begin(self, name):
        """Starts the history of an episode, whose data are below a location of its own."""
        self.name, self.began, self.writes, self.steps = name, time.time(), [], []
        self.excuses, self.safe, self.orphaning, self.serial = {}, {}, set(), 0
        self.log_lengths = {node.name: node.log.stat().st_size for node in self.nodes.values()}

    def configure(self, members, path=None):
        nodes = [{"id": name, "client": f"http://{address}:7001", "requests": f"tcp://{address}:7002",
                  "updates": f"tcp://{address}:7003"}
                 for name in members for address in [self.nodes[name].address]]
        settings = {"cluster": "operators", "durability": "commit", "directory": str(self.folder), "nodes": nodes,
                    "unknownDatabases": self.unknown, "databaseSleepSeconds": 6}
        (path or self.folder / "cluster.json5").write_text(json.dumps(settings, indent=1))

    def close(self):
        for node in self.nodes.values():
            node.end(signal.SIGKILL)
            node.holder.kill()
            node.holder.wait()

    # Clients.

    def write(self, kind, node, path, value=None, database="default", headers=(), body=None, timeout=2):
        """Sends one request and records it with its outcome: acknowledged, refused or unknown."""
        method = {"delete": "DELETE", "push": "POST"}.get(kind, "PUT")
        body = json.dumps(value if body is None else body) if kind != "delete" else None
        begun, answered, name = time.time(), node, path
        try:
            status, _, answer, answered = self.nodes[node].request(
                method, f"{self.name}/{path}", body, headers, timeout, database)
            outcome = "acknowledged" if status == 200 else "unknown" if status in (500, 504) else "refused"
            if kind == "push":
                name = f"{path}/{answer['name']}" if outcome == "acknowledged" else ""
        except (ConnectionRefusedError, BlockingIOError):
            outcome = "refused"
        except (OSError, http.client.HTTPException):
            outcome, name = "unknown", "" if kind == "push" else path
        write = Write(kind, database, name, value, answered, begun, time.time(), outcome)
        if outcome != "refused":
            with self.lock:
                self.writes.append(write)
        return write

    def token(self, text):
        with self.lock:
            self.serial += 1
            return f"{self.name}-{text}-{self.serial}"

    def set(self, node, path, database="default"):
        return self.write("set", node, path, self.token(node), database)

    def increment(self, node, database="default", path=None):
        return self.write("increment", node, path or f"count/{node}", 1, database, body={".sv": {"increment": 1}})

    def transact(self, node, database="default", timeout=6):
        """Appends a token to the chain, if nothing else was appended since it was read."""
        try:
            status, headers, value, _ = self.nodes[node].request(
                "GET", f"{self.name}/chain", None, {"X-Firebase-ETag": "true"}, 2, database)
        except (OSError, http.client.HTTPException):
            return None
        if status != 200:
            return None
        chain = f"{value or ''} {self.token('t')}".strip()
        return self.write(
            "transaction", node, "chain", chain, database, {"if-match": headers["ETag"]}, timeout=timeout)

    # Operators' commands.

    def hearth(self, *words, at=None, config=None, timeout=90):
        """Runs a command with the configuration, at the operator's machine or in the network of a node."""
        words = [self.program, *words, "--config", config or self.folder / "cluster.json5"]
        words = (self.nodes[at].entering if at else []) + [str(word) for word in words]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
            code, text = done.returncode, (done.stdout + done.stderr).strip()
        except subprocess.TimeoutExpired:
            code, text = -1, "no end in time"
        return code, text

    def say(self, text):
        self.steps.append(f"{time.time() - self.began:6.1f} s  {text}")

    def cut(self, *sides):
        """Separates groups of nodes, in place of an earlier partition; clients and operators still reach all nodes."""
        if sides or self.cuts:
            self.say("cut " + " | ".join(" ".join(side) for side in sides) if sides else "the partition ends")
        cuts = {(name, other) for side in sides for name in side
                for group in sides if group is not side for other in group}
        for change, pairs in (("add", cuts - self.cuts), ("del", self.cuts - cuts)):
            for name, other in sorted(pairs):
                self.nodes[name].inside("ip", "route", change, "blackhole", f"{self.nodes[other].address}/32")
        self.cuts = cuts

    def serves(self, name):
        try:
            return self.nodes[name].request("GET", "none", timeout=1)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def wait(self, seconds, condition):
        end = time.time() + seconds
        while not (done := condition()) and time.time() < end:
            time.sleep(0.2)
        return done

    def tree(self, name, database):
        """The data of a database at a node; None if it redirects, and a text if it does not serve."""
        try:
            status, _, value, answered = self.nodes[name].request("GET", "", None, (), 5, database)
        except (OSError, http.client.HTTPException) as error:
            return f"no answer: {error}"
        if answered != name:
            return None
        return value or {} if status == 200 else f"{status} {value}"

    def placement(self, database):
        """The names of the nodes on which the first node that answers knows a database; None while it moves."""
        for name in self.members:
            try:
                status, _, value, _ = self.nodes[name].request(
                    "GET", f"databases/{database}/placement", database="_catalog")
            except (OSError, http.client.HTTPException):
                continue
            if status == 200:
                # A database that was never placed is on all nodes.
                return sorted(value["nodes"]) if value and "moving" not in value and "nodes" in value else None
        return None

    def logged(self):
        return "".join(node.log.read_bytes()[self.log_lengths[node.name]:].decode(errors="replace")
                       for node in self.nodes.values())

    # Disks.

    def mark(self, name):
        """Finds out until when the writes of a node are known to be at another node, too.

        This is unknown of a node that may keep orphaned operations, since the others lack them and have later ones.
        """
        for database in self.databases if name not in self.orphaning else []:
            write = self.set(name, f"mark/{name}", database)
            others = [other for other in self.members if other != name and self.nodes[other].runs
                      and not self.nodes[other].paused]
            if write.outcome == "acknowledged" and write.node == name and self.wait(
                    2, lambda: any(self.has(other, write) for other in others)):
                self.safe[name, database] = write.begun

    def has(self, name, write):
        try:
            _, _, value, answered = self.nodes[name].request(
                "GET", f"{self.name}/{write.path}", None, (), 1, write.database)
            return answered == name and value == write.value
        except (OSError, http.client.HTTPException):
            return False

    def lose_disk(self, name):
        """Excuses the writes that are lost with the disk of a stopped node, because no other node had received them."""
        self.orphaning.add(name)
        for database in self.databases:
            since = self.safe.get((name, database), self.began)
            self.excuses.setdefault((name, database), []).append((since, time.time()))

    def is_lost_with_disk(self, write):
        return write.kind != "transaction" and any(
            write.ended > since and write.begun < until
            for since, until in self.excuses.get((write.node, write.database), []))
