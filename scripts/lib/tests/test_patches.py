"""Tests of the format of seeded bugs, and of the bugs of the package."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

import scenarios  # noqa: E402
from patches import PatchError, SeededBug, read_all  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent.parent
FILE = "Sources/Store/Example.swift"
SOURCE = """func first() {
    count += 1
    if a < b { return }
}

func second() {
    count += 1
    log.append(
        entry)
}
"""


def bug(*lines, header=("Summary: Counts wrongly.", "Found by: swarm replicas-equal 7")):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.bug"
        path.write_text("\n".join([*header, "", f"--- {FILE}", *lines, ""]))
        return SeededBug(path)


def applied(*lines, source=SOURCE):
    return bug(*lines).applied(FILE, source)


class FormatTests(unittest.TestCase):
    def test_the_header_has_a_summary_and_who_finds_it(self):
        one = bug("-a", "+b")
        self.assertEqual((one.name, one.module, one.summary), ("example", "Store", "Counts wrongly."))
        self.assertEqual(one.found_by, [("swarm", "replicas-equal", 7)])
        with self.assertRaises(PatchError):
            bug("-a", header=[])

    def test_lines_are_replaced_where_their_text_is(self):
        self.assertEqual(
            applied("-    if a < b { return }", "+    if a <= b { return }"), SOURCE.replace("a < b", "a <= b"))

    def test_indentation_and_line_breaks_may_have_changed(self):
        moved = SOURCE.replace("    log.append(\n        entry)", "        log.append(entry)")
        self.assertEqual(
            applied("-log.append(entry)", "+if a {", "+    log.append(entry)", "+}", source=moved),
            moved.replace("        log.append(entry)", "        if a {\n            log.append(entry)\n        }"))
        self.assertEqual(
            applied("-    log.append(", "-        entry)"), SOURCE.replace("    log.append(\n        entry)\n", ""))

    def test_text_that_occurs_twice_needs_an_anchor(self):
        with self.assertRaisesRegex(PatchError, "2 times"):
            applied("-    count += 1", "+    count += 2")
        self.assertEqual(
            applied("@@ func second", "-    count += 1", "+    count += 2"),
            SOURCE.replace("second() {\n    count += 1", "second() {\n    count += 2"))

    def test_part_of_a_line_is_not_found(self):
        for text in ("count +=", "if a < b"):
            with self.assertRaisesRegex(PatchError, "no lines"):
                applied(f"-{text}")

    def test_an_anchor_is_unique(self):
        for anchor in ("func third", "func"):
            with self.assertRaisesRegex(PatchError, "times"):
                applied(f"@@ {anchor}", "-    count += 1")

    def test_several_changes_of_a_file_are_found_in_its_original_text(self):
        self.assertEqual(
            applied("@@ func first", "-    count += 1", "+    count -= 1", "@@ func second", "-    count += 1"),
            SOURCE.replace("    count += 1\n    log", "    log").replace("+=", "-="))

    def test_line_numbers_of_a_unified_diff_are_ignored(self):
        self.assertEqual(
            applied("+++ b/Sources/Store/Example.swift", "@@ -90,2 +90,1 @@ func other", "     if a < b { return }", "+    a = b"),
            SOURCE.replace("return }\n", "return }\n    a = b\n"))

    def test_a_change_without_text_to_find_is_refused(self):
        with self.assertRaisesRegex(PatchError, "lines to find"):
            bug("+    a = b")

    def test_a_bug_is_a_unified_diff_for_other_tools(self):
        diff = bug("-    if a < b { return }", "+    if a <= b { return }").diff({FILE: SOURCE})
        self.assertTrue(diff.startswith(f"--- a/{FILE}\n+++ b/{FILE}\n@@ -1,6 +1,6 @@\n"), diff)
        self.assertIn("\n-    if a < b { return }\n+    if a <= b { return }\n", diff)


class PackageTests(unittest.TestCase):
    def test_each_seeded_bug_applies_and_is_in_the_folder_of_its_module(self):
        bugs = read_all(ROOT / "Simulations/seeded-bugs")
        self.assertGreater(len(bugs), 200)
        self.assertEqual(len({one.name for one in bugs}), len(bugs))
        for one in bugs:
            self.assertEqual(one.path.parent.name, one.module, one.name)
            for file in one.files:
                source = (ROOT / file).read_text()
                self.assertNotEqual(one.applied(file, source), source, one.name)

    def test_the_scenarios_that_find_bugs_exist(self):
        names = scenarios.named(ROOT)
        for one in read_all(ROOT / "Simulations/seeded-bugs"):
            self.assertTrue(one.found_by, one.name)
            for scenario, _, _ in one.found_by:
                self.assertIn(scenario, names, one.name)


if __name__ == "__main__":
    unittest.main()
