"""The writers of an episode, and the procedures of its operator."""

import collections
import random
import shutil
import signal
import threading
import time

from operators.check import Check


class Clients:
    """Threads that write at all nodes, except those that the operator asks them to avoid."""

    def __init__(self, cluster, seed, count=3):
        self.cluster, self.avoided, self.busy, self.ended = cluster, set(), collections.Counter(), False
        self.threads = [threading.Thread(target=self.write, args=(random.Random(f"{seed}/{i}"),)) for i in range(count)]
        for thread in self.threads:
            thread.start()

    def write(self, draw):
        cluster, own = self.cluster, []
        while not self.ended:
            time.sleep(draw.uniform(0.03, 0.13))
            names = [name for name in cluster.members if name not in self.avoided]
            node, database = draw.choice(names), draw.choice(cluster.databases)
            self.busy[node] += 1
            kind = draw.choices(["set", "again", "delete", "push", "increment", "transaction", "shared"],
                                [4, 1, 1, 3, 3, 4, 2])[0]
            if kind in ("again", "delete") and own:
                write = own.pop(draw.randrange(len(own)))
                if write.node not in self.avoided:
                    self.busy[write.node] += 1
                    value = cluster.token(write.node) if kind == "again" else None
                    cluster.write("set" if value else kind, write.node, write.path, value, write.database)
                    self.busy[write.node] -= 1
            elif kind == "push":
                cluster.write(kind, node, "list", cluster.token(node), database)
            elif kind == "increment":
                cluster.increment(node, database)
            elif kind == "transaction":
                cluster.transact(node, database)
            elif kind == "shared":
                path, value = f"shared/{draw.randrange(5)}", draw.choice([None, cluster.token(node)])
                cluster.write("set" if value else "delete", node, path, value, database)
            else:
                write = cluster.set(node, f"set/{cluster.token(node)}", database)
                if write.outcome == "acknowledged":
                    own.append(write)
            self.busy[node] -= 1

    def avoid(self, name):
        self.avoided.add(name)
        self.cluster.wait(8, lambda: self.busy[name] == 0)

    def end(self):
        self.ended = True
        for thread in self.threads:
            thread.join()


class Operator:
    """The procedures. Each appends to the steps of the episode, and counts."""

    def __init__(self, cluster, counts, draw, clients=None):
        self.cluster, self.counts, self.draw, self.clients = cluster, counts, draw, clients
        self.copies, self.victim, self.unfinished, self.number = {}, None, {}, 0

    def count(self, procedure, text, code=0):
        self.counts[procedure if code == 0 else procedure + " refused"] += 1
        self.cluster.say(text)
        return code

    def command(self, procedure, *words, **options):
        code, text = self.cluster.hearth(*words, **options)
        place = f" at {options['at']}" if options.get("at") else ""
        self.count(procedure, f"hearth {' '.join(map(str, words))}{place} -> {code}: {text[-160:]!r}", code)
        return code, text

    def kill(self, name, number=signal.SIGKILL):
        procedure = "stop" if number == signal.SIGTERM else "kill"
        self.count(procedure, f"{procedure} {name}")
        self.cluster.nodes[name].end(number)

    def stop(self, name):
        self.kill(name, signal.SIGTERM)

    def start(self, name, seconds=6):
        if self.cluster.nodes[name].runs:
            return True
        self.cluster.nodes[name].start()
        served = self.cluster.wait(seconds, lambda: self.cluster.serves(name))
        self.cluster.say(f"start {name}" + ("" if served else f", which does not serve after {seconds} s"))
        return served

    def backup(self, name):
        """Copies each database that the node holds: in one file, or in one of each where the program knows no other."""
        self.number += 1
        files = {}
        if self.cluster.has_whole_backups:
            files["all"] = self.cluster.folder / f"{name}-{self.number}.tar"
            self.command("backup", "backup", "--to", files["all"], "--node", name)
            self.copies.setdefault((name, "backup"), []).append((self.number, files))
            return files
        for database in self.cluster.databases:
            if not isinstance(self.cluster.tree(name, database), dict):
                continue
            code, text = self.cluster.hearth(
                "backup", f"copy-{self.number}", "--node", name, "--database", database)
            place = self.cluster.nodes[name].folder / ("" if database == "default" else f"databases/{database}")
            file = place / f"backups/copy-{self.number}.sqlite"
            if code == 0 and file.exists():
                target = self.cluster.folder / f"{name}-{self.number}-{database}.sqlite"
                shutil.move(file, target)
                files[database] = target
            else:
                self.cluster.say(f"backup of {database} at {name} -> {code}: {text[-160:]!r}")
        self.count("backup", f"backup {self.number} of {name}: {' '.join(files)}")
        self.copies.setdefault((name, "backup"), []).append((self.number, files))
        return files

    def restore(self, name, copy=None):
        """Restores a stopped node."""
        number, files = ("", copy) if copy else self.draw.choice(self.copies[name, "backup"])
        self.cluster.lose_disk(name)
        if "all" in files:
            self.command("restore", "restore", files["all"], name)
            return
        for database, file in files.items():
            place = self.cluster.nodes[name].folder / ("" if database == "default" else f"databases/{database}")
            if (place / "log.sqlite").exists():
                code, text = self.cluster.hearth("restore", file, name, "--database", database)
                self.cluster.say(f"hearth restore {file.name} {name} --database {database} -> {code}: {text[-160:]!r}")
        self.count("restore", f"{name} has backup {number}")

    def copy_folder(self, name):
        """Copies the folder of a stopped node."""
        self.number += 1
        target = self.cluster.folder / f"{name}-{self.number}-folder"
        shutil.copytree(self.cluster.nodes[name].folder, target)
        self.copies.setdefault((name, "folder"), []).append((self.number, target))
        self.count("copy of a folder", f"copy {self.number} of the folder of {name}")
        return target

    def put_back(self, name, copy=None):
        """Puts an old copy of the folder of a stopped node back."""
        number, copy = (copy.name, copy) if copy else self.draw.choice(self.copies[name, "folder"])
        self.empty(name, "old folder", f"folder {number} put back at {name}")
        shutil.rmtree(self.cluster.nodes[name].folder)
        shutil.copytree(copy, self.cluster.nodes[name].folder)

    def empty(self, name, procedure="emptied folder", text=None):
        self.cluster.lose_disk(name)
        self.count(procedure, text or f"empty the folder of {name}")
        shutil.rmtree(self.cluster.nodes[name].folder)
        self.cluster.nodes[name].folder.mkdir(mode=0o700)

    def evict(self, name):
        """Evicts a node; a database on two nodes refuses that, and the others do not."""
        self.cluster.orphaning.add(name)
        code, text = self.cluster.hearth("cluster", "evict", name, "--force")
        self.count("evict", f"hearth cluster evict {name} --force -> {code}: {text[-160:]!r}",
                   code if "from all other databases" not in text else 0)

    def move(self, database, nodes, seconds=12, **options):
        if self.cluster.placement(database) == sorted(nodes):
            return 0
        code, _ = self.command(
            "move", "database", "move", database, "--nodes", ",".join(nodes), "--timeout", seconds, **options)
        self.unfinished[database] = nodes
        if code == 0:
            del self.unfinished[database]
        return code

    def create(self, database, nodes=(), **options):
        placement = ["--nodes", ",".join(nodes)] if nodes else []
        code, _ = self.command("create", "database", "create", database, *placement, **options)
        if code == 0 and database not in self.cluster.databases:
            self.cluster.databases = [*self.cluster.databases, database]
        return code

    def relist(self, members, text):
        """Stops all nodes, changes the list of nodes, and starts those of the list."""
        for node in self.cluster.nodes.values():
            node.end(signal.SIGTERM)
        self.cluster.members = members
        self.cluster.configure(members)
        for name in members:
            self.cluster.nodes[name].start()
        self.count(text.split()[0], f"{text}: the list is {' '.join(members)}")

    def step_clock(self, name, seconds):
        self.count("clock", f"the clock of {name} is set to {seconds:+} s")
        self.cluster.nodes[name].step_clock(seconds)

    def heal(self):
        """Ends all faults; the nodes then serve."""
        cluster = self.cluster
        cluster.cut()
        for node in cluster.nodes.values():
            node.step_clock(0)
            node.resume()
        if len(cluster.members) < len(cluster.nodes):
            self.relist(list(cluster.nodes), "return of the removed node")
        for name in cluster.members:
            cluster.nodes[name].start()
        cluster.wait(20, lambda: all(cluster.serves(name) for name in cluster.members))
        cluster.say("all is healed")
        for database, nodes in list(self.unfinished.items()):
            if self.draw.random() < 0.5 or self.move(database, nodes, 20) != 0:
                self.command("cancel", "database", "move", database, "--cancel")
            self.unfinished.pop(database, None)

    # Random steps. Each ends without an effect if it does not fit.

    def choose(self, running=True):
        names = [name for name in self.cluster.members
                 if self.cluster.nodes[name].runs == running and not self.cluster.nodes[name].paused]
        return self.draw.choice(names) if names else None

    def random_disk(self):
        """A disk of an earlier time, or an empty one; at one node in an episode, since two may lose data for ever."""
        name = self.victim or self.choose()
        if name is None or name not in self.cluster.members:
            return
        self.victim = name
        kind = self.draw.choice(["backup", "backup", "backup", "folder", "folder", "folder", "empty"])
        self.clients.avoid(name)
        if self.cluster.nodes[name].runs and not self.cluster.nodes[name].paused:
            self.cluster.mark(name)
        self.kill(name, self.draw.choice([signal.SIGKILL, signal.SIGTERM]))
        {"backup": self.restore, "folder": self.put_back, "empty": self.empty}[kind](name)
        fault = self.draw.random()
        if fault < 0.4:
            self.random_cut([name])
        elif fault < 0.7:
            self.random_kill()
            self.cluster.cut()
        self.start(name, 4)
        self.clients.avoided.discard(name)

    def copy_all(self):
        """Makes the first copies of each node, so that none lacks one."""
        for name in self.cluster.members:
            self.backup(name), self.stop(name), self.copy_folder(name), self.start(name)

    def random_copy(self):
        name = self.choose()
        if name and self.draw.random() < 0.6:
            self.backup(name)
        elif name:
            self.stop(name), self.copy_folder(name), self.start(name)

    def random_cut(self, side=None):
        self.cluster.cut()
        names = self.cluster.members
        side = side or self.draw.sample(names, self.draw.randint(1, len(names) - 1))
        self.counts["partition"] += 1
        self.mark_all()
        self.cluster.cut(side, [name for name in names if name not in side])

    def mark_all(self):
        for name in self.cluster.members:
            if self.cluster.nodes[name].runs and not self.cluster.nodes[name].paused:
                self.cluster.mark(name)

    def random_evict(self):
        name = self.choose(running=False) or self.choose()
        if name and len(self.cluster.members) > 2:
            if self.cluster.nodes[name].runs and self.draw.random() < 0.7:
                self.kill(name)
                time.sleep(2.5)
            self.evict(name)
            if self.draw.random() < 0.4:
                time.sleep(8)  # The others' writes become stable.

    def random_move(self):
        named, members = self.cluster.databases[1:], self.cluster.members
        if self.draw.random() < 0.6:  # Otherwise few moves end.
            self.cluster.cut()
            for name in members:
                self.start(name)
        nodes = self.draw.sample(members, min(len(members), self.draw.choice([2, 2, 3])))
        if named and len(named) < 4 and self.draw.random() < 0.15 or not named:
            self.create(f"db{len(named)}-{self.cluster.name}", self.draw.choice([nodes, []]))
            return
        options = {}
        if self.draw.random() < 0.2 and len(members) > 2:
            known = self.draw.sample(members, len(members) - 1)
            options["config"], nodes = self.cluster.folder / "outdated.json5", known[:2]
            self.cluster.configure(known, options["config"])
            self.counts["outdated configuration"] += 1
        database = self.draw.choice(named)
        if self.draw.random() < 0.15:
            options["timeout"] = self.draw.uniform(0.1, 1.5)
            self.counts["killed move"] += 1
        self.move(database, nodes, self.draw.choice([3, 8]), **options)

    def random_kill(self):
        name = self.choose()
        if name:
            self.kill(name, self.draw.choice([signal.SIGKILL, signal.SIGTERM]))

    def random_start(self):
        name = self.choose(running=False)
        if name:
            self.start(name)

    def random_pause(self):
        name = self.choose()
        if name:
            self.count("pause", f"pause {name}")
            self.cluster.nodes[name].pause()
            time.sleep(self.draw.uniform(0.5, 5))
            self.cluster.nodes[name].resume()

    def random_clock(self):
        if self.cluster.has_clocks:
            self.step_clock(self.draw.choice(self.cluster.members), self.draw.choice([-60, -20, -5, 5, 20, 60]))

    def random_removal(self):
        members = self.cluster.members
        if len(members) < len(self.cluster.nodes):
            self.relist(list(self.cluster.nodes), "return of the removed node")
        elif (len(members) > 2 and not self.cluster.cuts
              and self.cluster.hearth("cluster", "wait", "--timeout", 4)[0] == 0):
            name = self.draw.choice(members)
            others = [other for other in members if other != name]
            if all(self.move(database, others) == 0 for database in self.cluster.databases[1:]):
                self.relist(others, f"removal of {name}")
        self.cluster.wait(5, lambda: all(map(self.cluster.serves, self.cluster.members)))

    def episode(self):
        """Draws procedures one after the other, heals, and returns the problems."""
        self.victim = None
        weights = {self.random_disk: 5, self.random_copy: 3, self.random_cut: 3, self.random_evict: 2.5,
                   self.random_move: 5, self.random_kill: 2, self.random_start: 3, self.random_pause: 1,
                   self.random_clock: 1.5, self.random_removal: 0.7}
        self.mark_all()
        end = time.time() + self.draw.uniform(15, 40)
        while time.time() < end:
            time.sleep(self.draw.uniform(0.2, 2.0))
            self.draw.choices(list(weights), list(weights.values()))[0]()
            if self.cluster.cuts and self.draw.random() < 0.3:
                self.cluster.cut()
        self.heal()
        self.clients.end()
        return Check(self.cluster).judge()
