"""What clients wrote, compared with what all nodes show in the end."""

import collections
import json
import time


class Check:
    """The data of a cluster after an episode.

    Every acknowledged write is visible at all nodes, replaced by a later write, under /_conflicts, or in a file that a
    log or `doctor` names. Writes that an operator destroyed with a disk, before another node had them, are excused.
    """

    def __init__(self, cluster):
        self.cluster, self.kept, self.doctor = cluster, {}, ""

    def judge(self, seconds=45):
        """Waits until nothing is wrong twice in a row, and returns what is still wrong in the end."""
        begun, right = time.time(), 0
        while right < 2:
            for name in self.cluster.members:
                self.cluster.nodes[name].start()
            problems = self.problems()
            right = 0 if problems else right + 1
            if problems and time.time() - begun > seconds:
                return self.last_problems()
            time.sleep(1.5)
        return []

    def last_problems(self):
        """What is wrong, beside files that are named as kept, and what `doctor` says of it."""
        code, self.doctor = self.cluster.hearth("cluster", "doctor")
        self.kept = self.kept_files()
        problems = self.problems()
        if code == 0 and any("TREES DIFFER" in problem for problem in problems):
            problems.append("doctor sees no problem")
        return problems + [f"(doctor: {self.doctor})"] if problems else []

    def problems(self):
        found = [f"{node.name} ended by a signal: {crash}"
                 for node in self.cluster.nodes.values() for crash in node.crashes]
        for database in self.cluster.databases:
            found += self.problems_of(database, {name: self.cluster.tree(name, database)
                                                 for name in self.cluster.members})
        return found

    def problems_of(self, database, answers):
        found = [f"{name} does not serve {database}: {answer}"
                 for name, answer in answers.items() if isinstance(answer, str)]
        trees = {name: answer for name, answer in answers.items() if isinstance(answer, dict)}
        if not trees:
            found.append(f"NO NODE SERVES {database}: {answers}")
        different = {}
        for name, tree in trees.items():
            different.setdefault(json.dumps(tree, sort_keys=True), []).append(name)
        (first, *_), *others = different.values() or [[None]]
        for other, *_ in others:
            place, left, right = next(differences(trees[first], trees[other], ""))
            found.append(f"TREES DIFFER in {database}: {place or '/'} is {left!r:.80} at {first} "
                         f"and {right!r:.80} at {other}")
        for names in different.values():
            lines = Tree(self, database, trees[names[0]]).wrong_values()
            found += [f"{database} at {' '.join(names)}: {line}" for line in lines]
        return found

    def kept_files(self):
        """The contents of the files that are no live databases and that a log or `doctor` names."""
        named, kept = self.cluster.logged() + self.doctor, {}
        for node in self.cluster.nodes.values():
            for file in node.folder.rglob("*.sqlite*"):
                place = str(file.relative_to(node.folder)).removesuffix("-wal").removesuffix("-shm")
                folder, _, name = place.rpartition("/")
                is_live = name == "log.sqlite" and (not folder or folder.startswith("databases/"))
                is_named = "/" in folder and folder in named or name != "log.sqlite" and name in named
                if is_named and not is_live and "before-restore" not in name:
                    kept[file] = file.read_bytes()
        return kept


class Tree:
    """The data of a database at a node, and the writes of clients to it."""

    def __init__(self, check, database, tree):
        self.cluster, self.kept, self.database, self.tree = check.cluster, check.kept, database, tree
        self.writes = [write for write in self.cluster.writes if write.database == database]
        conflicts = list(conflicting_writes(tree.get("_conflicts") or {}))
        self.conflicting_values = {str(value) for _, value in conflicts}
        self.conflicting_paths = collections.Counter(path for path, _ in conflicts)

    def wrong_values(self):
        wrong = [f"/{key} was deleted, and is back" for key in self.tree if key in self.cluster.removed]
        places = collections.defaultdict(list)
        for write in self.writes:
            places[write.path].append(write)
        for path, writes in places.items():
            value = value_at(self.tree, f"{self.cluster.name}/{path}")
            if writes[0].kind == "transaction":
                wrong += wrong_chain(value or "", writes)
            elif writes[0].kind == "increment":
                wrong += self.wrong_sum(path, value or 0, writes)
            elif path and value not in (allowed := allowed_values(writes, self.is_excused)):
                story = ", ".join(
                    f"{write.kind} {write.value or ''} at {write.node} {write.begun - self.cluster.began:.1f} s "
                    f"{write.outcome}" for write in sorted(writes, key=lambda write: write.begun)[-4:])
                wrong.append(f"LOST {path} is {value}, and not one of {sorted(map(str, allowed))}: {story}")
        return wrong

    def wrong_sum(self, path, value, writes):
        acknowledged = [write for write in writes if write.outcome == "acknowledged"]
        excused = self.conflicting_paths[f"/{self.cluster.name}/{path}"] + sum(
            self.cluster.is_lost_with_disk(write) or self.is_beside_kept_file(write) for write in acknowledged)
        if len(acknowledged) - excused <= value <= len(writes):
            return []
        return [f"SUM {path} is {value} after {len(acknowledged)} acknowledged increments, {excused} of them "
                f"explained, and {len(writes) - len(acknowledged)} of unknown outcome"]

    def is_excused(self, write):
        if self.cluster.is_lost_with_disk(write):
            return True
        if write.kind == "delete":
            return self.conflicting_paths[f"/{self.cluster.name}/{write.path}"] > 0 or self.is_beside_kept_file(write)
        return write.value in self.conflicting_values or any(
            write.value.encode() in text for text in self.kept.values())

    def is_beside_kept_file(self, write):
        """Whether its node keeps a file of this database: deletions and increments cannot be found in its bytes."""
        folder = self.cluster.nodes[write.node].folder
        return any(folder in file.parents and (self.database == "default" or f"/{self.database}" in str(file))
                   for file in self.kept)


def differences(left, right, path):
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            yield from differences(left.get(key), right.get(key), f"{path}/{key}")
    elif left != right:
        yield path, left, right


def value_at(data, path):
    for key in path.split("/"):
        data = data.get(key) if isinstance(data, dict) else None
    return data


def conflicting_writes(conflicts):
    """The paths and values of the operations under /_conflicts."""
    for operations in conflicts.values():
        for operation in operations.values():
            writes = operation.get("writes", {})
            for write in writes.values() if isinstance(writes, dict) else writes:
                yield write["path"], write.get("value", write.get("json"))


def allowed_values(writes, is_excused):
    """The values that a location may have: of each node, its last certain write and those after it."""
    values = []
    for node in {write.node for write in writes}:
        own = [write for write in writes if write.node == node]
        certain = [write for write in own if write.outcome == "acknowledged" and not is_excused(write)]
        last = max((write.begun for write in certain), default=None)
        values += [write.value for write in own if last is None or write.ended >= last]
        if last is None:
            values.append(None)
    return values


def wrong_chain(final, writes):
    """What is wrong with a location that only conditional writes change, each of which appends a token."""
    wrong, tokens = [], final.split()
    known = {write.value.split()[-1] for write in writes}
    if len(set(tokens)) < len(tokens) or not known.issuperset(tokens):
        wrong.append(f"the chain of transactions has repeated or unknown tokens: {final[-200:]}")
    done = sorted((write.value.split() for write in writes if write.outcome == "acknowledged"), key=len)
    for chain, successor in zip(done, done[1:]):
        if successor[:len(chain)] != chain or len(successor) == len(chain):
            wrong.append(f"REPLACED TWICE: acknowledged transactions wrote {chain[-2:]} as number {len(chain)} and "
                         f"{successor[-2:]} as number {len(successor)}, which does not contain it")
    undone = [chain for chain in done if tokens[:len(chain)] != chain]
    if undone:
        wrong.append(f"UNDONE: {len(undone)} acknowledged transactions, such as {undone[0][-1]} as number "
                     f"{len(undone[0])}; the last is {tokens[-1:]} as number {len(tokens)}")
    return wrong
