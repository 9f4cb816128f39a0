"""Tests of the check of scripts/operators: plain writes and trees in, problems out."""

import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

from operators.check import Check, Tree, conflicting_writes, differences  # noqa: E402
from operators.cluster import Write  # noqa: E402

CLOCK = iter(range(1, 10_000))


def write(kind, path, value=None, node="n1", outcome="acknowledged"):
    begun = next(CLOCK)
    return Write(kind, "default", path, value, node, begun, begun + 0.5, outcome)


class Lost:
    """A cluster whose operator destroyed some writes with a disk."""

    name, began, removed, databases, nodes = "e", 0, {"before"}, ["default"], {"n1": types.SimpleNamespace(
        name="n1", folder=Path("/none/n1"), crashes=[])}

    def __init__(self, writes, lost=()):
        self.writes, self.lost = writes, lost

    def is_lost_with_disk(self, write):
        return write in self.lost


def wrong(writes, data, lost=(), conflicts=None, kept=None):
    check = Check(Lost(writes, lost))
    check.kept = kept or {}
    return Tree(check, "default", {"e": data, "_conflicts": conflicts or {}}).wrong_values()


class ValueTests(unittest.TestCase):
    def test_an_acknowledged_write_is_visible(self):
        writes = [write("set", "a", "1"), write("set", "a", "2")]
        self.assertEqual(wrong(writes, {"a": "2"}), [])
        self.assertIn("LOST a is 1", wrong(writes, {"a": "1"})[0])
        self.assertIn("LOST a is None", wrong(writes, {})[0])

    def test_a_write_of_unknown_outcome_may_be_visible_or_not(self):
        writes = [write("set", "a", "1"), write("set", "a", "2", outcome="unknown")]
        self.assertEqual(wrong(writes, {"a": "1"}) + wrong(writes, {"a": "2"}), [])
        self.assertNotEqual(wrong(writes, {"a": "3"}), [])

    def test_deleted_data_stay_deleted(self):
        writes = [write("set", "a", "1"), write("delete", "a")]
        self.assertEqual(wrong(writes, {}), [])
        self.assertIn("LOST a is 1", wrong(writes, {"a": "1"})[0])

    def test_data_of_an_earlier_episode_are_not_back(self):
        tree = Tree(Check(Lost([])), "default", {"before": {"a": 1}})
        self.assertEqual(tree.wrong_values(), ["/before was deleted, and is back"])

    def test_of_two_nodes_either_write_wins(self):
        writes = [write("set", "a", "1", "n1"), write("set", "a", "2", "n2")]
        self.assertEqual(wrong(writes, {"a": "1"}) + wrong(writes, {"a": "2"}), [])
        self.assertNotEqual(wrong(writes, {}), [])

    def test_a_write_under_conflicts_or_in_a_kept_file_or_lost_with_a_disk_is_explained(self):
        writes = [write("set", "a", "1"), write("set", "a", "2")]
        conflicts = {"n1": {"-O": {"at": 1, "writes": {"0": {"path": "/e/a", "value": "2"}}}}}
        self.assertEqual(wrong(writes, {"a": "1"}, conflicts=conflicts), [])
        self.assertEqual(wrong(writes, {"a": "1"}, kept={Path("/none/n1/kept.sqlite"): b"..2.."}), [])
        self.assertEqual(wrong(writes, {"a": "1"}, lost=writes[1:]), [])
        self.assertNotEqual(wrong(writes, {}, conflicts=conflicts), [])

    def test_conflicts_may_be_a_list(self):
        conflicts = {"n1": {"-O": {"writes": [{"path": "/e/a"}, {"path": "/e/b", "json": "1"}]}}}
        self.assertEqual(list(conflicting_writes(conflicts)), [("/e/a", None), ("/e/b", "1")])


class KeptFileTests(unittest.TestCase):
    def kept(self, doctor):
        with tempfile.TemporaryDirectory() as folder:
            for place in ("log.sqlite", "databases/chat/log.sqlite", "kept/chat-1-5/log.sqlite-wal",
                          "log.sqlite.damaged-3", "log.sqlite.before-restore-4"):
                file = Path(folder) / place
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(place)
            cluster = Lost([])
            cluster.nodes = {"n1": types.SimpleNamespace(name="n1", folder=Path(folder), crashes=[])}
            cluster.logged = lambda: "the database chat is in databases/chat, with log.sqlite"
            check = Check(cluster)
            check.doctor = doctor
            return sorted(text.decode() for text in check.kept_files().values())

    def test_only_named_files_that_are_no_live_databases_count(self):
        self.assertEqual(self.kept(""), [])
        self.assertEqual(self.kept("see /data/n1/log.sqlite.damaged-3"), ["log.sqlite.damaged-3"])
        self.assertEqual(self.kept("kept as kept/chat-1-5, log.sqlite.before-restore-4"), ["kept/chat-1-5/log.sqlite-wal"])


class SumTests(unittest.TestCase):
    def test_each_increment_counts_once(self):
        writes = [write("increment", "n", 1) for _ in range(3)]
        self.assertEqual(wrong(writes, {"n": 3}), [])
        self.assertIn("SUM n is 2", wrong(writes, {"n": 2})[0])
        self.assertIn("SUM n is 4", wrong(writes, {"n": 4})[0])

    def test_an_increment_under_conflicts_may_be_missing(self):
        writes = [write("increment", "n", 1) for _ in range(3)]
        conflicts = {"n1": {"-O": {"writes": [{"path": "/e/n", "value": {}}]}}}
        self.assertEqual(wrong(writes, {"n": 2}, conflicts=conflicts), [])
        self.assertNotEqual(wrong(writes, {"n": 1}, conflicts=conflicts), [])


class ChainTests(unittest.TestCase):
    def chain(self, *values):
        return [write("transaction", "chain", value) for value in values]

    def test_transactions_form_a_chain(self):
        writes = self.chain("a", "a b", "a b c")
        self.assertEqual(wrong(writes, {"chain": "a b c"}), [])

    def test_an_undone_transaction_is_found(self):
        self.assertIn("UNDONE: 1", wrong(self.chain("a", "a b"), {"chain": "a"})[0])

    def test_a_version_that_is_replaced_twice_is_found(self):
        self.assertIn("REPLACED TWICE", wrong(self.chain("a", "a b", "a c"), {"chain": "a c"})[0])

    def test_a_disk_excuses_no_transaction(self):
        writes = self.chain("a", "a b")
        self.assertNotEqual(wrong(writes, {"chain": "a"}, lost=writes), [])

    def test_a_repeated_or_unknown_token_is_found(self):
        self.assertIn("repeated or unknown", wrong(self.chain("a", "a b"), {"chain": "a b b"})[0])
        self.assertIn("repeated or unknown", wrong(self.chain("a", "a b"), {"chain": "a b z"})[0])


class ComparisonTests(unittest.TestCase):
    def test_different_trees_are_named_by_a_location(self):
        found = Check(Lost([])).problems_of("default", {"n1": {"e": {"a": 1}}, "n2": {"e": {"a": 2}}, "n3": None})
        self.assertEqual(found, ["TREES DIFFER in default: /e/a is 1 at n1 and 2 at n2"])
        self.assertEqual(list(differences({"a": 1}, {"a": 1}, "")), [])

    def test_a_database_that_no_node_serves_is_found(self):
        found = Check(Lost([])).problems_of("default", {"n1": "503 moves", "n2": None})
        self.assertEqual(found[0], "n1 does not serve default: 503 moves")
        self.assertIn("NO NODE SERVES default", found[1])


if __name__ == "__main__":
    unittest.main()
