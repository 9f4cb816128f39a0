"""Tests of the rules that make mutants, of how they are chosen, woven and judged, and of the lists beside them."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

import equivalent_mutants  # noqa: E402
import mutant_report  # noqa: E402
from beyond_simulator import Beyond  # noqa: E402
from mutant_choice import sample  # noqa: E402
from mutant_results import Results  # noqa: E402
from mutant_runs import FAILED, share, test_passes  # noqa: E402
from mutant_weaving import refused, woven  # noqa: E402
from mutation_rules import mutants  # noqa: E402

FILE = "Sources/Store/Example.swift"


def function(*lines, header="func f(a: Int, b: Int) -> Int"):
    return "\n".join([f"{header} {{", *(f"    {line}" for line in lines), "}", ""])


def made(*lines, **header):
    """The rule and the new line of each mutant of a function with these lines."""
    return [(one.rule, one.new) for one in mutants(FILE, function(*lines, **header))]


class RuleTests(unittest.TestCase):
    def test_a_comparison_includes_or_excludes_its_bound(self):
        self.assertEqual(made("return a <= b"), [("comparison", "return a < b")])
        self.assertEqual(made("return a > 0"), [("comparison", "return a >= 0"), ("bound", "return a > 1")])

    def test_generics_strings_and_comments_are_no_comparisons(self):
        self.assertEqual(made('let a: Set<Int> = []  // if a < b', 'return "a < b && c"'), [])

    def test_each_clause_of_a_guard_is_negated_and_removed_but_no_binding(self):
        self.assertEqual(
            made("guard let a, isLate(a), let b else { return 0 }"),
            [("condition negated", "guard let a, !(isLate(a)), let b else { return 0 }"),
             ("condition removed", "guard let a, true, let b else { return 0 }")])

    def test_the_closure_in_a_condition_stays_in_its_clause(self):
        self.assertIn(
            ("condition negated", "if !(a.contains(where: { $0.isLate })) {"),
            made("if a.contains(where: { $0.isLate }) {", "    return 1", "}", "return 0"))

    def test_statements_are_removed_by_what_they_do(self):
        self.assertEqual(
            made("count += a", "last = b", "rows.append(b)", "log.truncate(a)", "try close()", "return a"),
            [("compound assignment removed", ""), ("assignment removed", ""), ("change of a collection removed", ""),
             ("call removed", ""), ("call removed", "")])

    def test_a_statement_goes_with_all_its_lines(self):
        [one] = mutants(FILE, function("rows.append(", "    a)", "return a"))
        self.assertEqual((one.old, one.new), ("rows.append( a)", ""))

    def test_the_only_statement_of_a_block_on_one_line_is_removed(self):
        self.assertIn(("assignment removed", "if isLate { }"), made("if isLate { last = a }", "return a"))

    def test_an_argument_on_a_line_of_its_own_is_no_statement(self):
        rules = [rule for rule, _ in made("return log(", "    first(a),", "    second(b)", ")")]
        self.assertNotIn("call removed", rules)

    def test_arguments_are_swapped_under_their_labels(self):
        self.assertEqual(made("return go(from: a, to: b)"), [("arguments", "return go(from: b, to: a)")])
        self.assertEqual(made("return go(a, a)"), [])

    def test_ends_and_extremes_are_exchanged(self):
        for old, new in [("rows.first", "rows.last"), ("rows.prefix(a)", "rows.suffix(a)"), ("max(a, 2)", "min(a, 2)"),
                         ("rows.removeFirst()", "rows.removeLast()"), ("range.upperBound", "range.lowerBound")]:
            self.assertIn(f"return {new}", [text for _, text in made(f"return {old}")])

    def test_ranges_keep_or_lose_their_end(self):
        self.assertIn(("range", "return rows[a...b]"), made("return rows[a..<b]"))
        self.assertIn(("range", "return rows[0..<b]"), made("return rows[0...b]"))

    def test_one_more_or_less_is_left_out(self):
        self.assertIn(("off by one", "return a"), made("return a + 1"))
        self.assertNotIn("off by one", [rule for rule, _ in made("return a + 10")])

    def test_a_predicate_is_inverted_as_a_whole(self):
        self.assertIn(("result", "!(a == b)"), made("a == b", header="var isLate: Bool"))
        self.assertEqual(made("a", header="var count: Int"), [])

    def test_preconditions_and_reserved_room_stay(self):
        self.assertEqual(made('precondition(a > b, "late")', "rows.reserveCapacity(a + 1)", "return a"), [])

    def test_what_only_leads_to_a_mark_stays(self):
        self.assertEqual(made("if a > b { sometimes(.isLate) }", "return a"), [])
        self.assertEqual(made("if a > b, b > 0 {", "    sometimes(.isLate)", "}", "return a"), [])

    def test_an_initializer_keeps_its_assignments(self):
        self.assertEqual(made("self.a = a", "count += 1", header="init(a: Int)"), [("compound assignment removed", "")])

    def test_equal_bugs_of_a_file_have_numbers_of_their_own(self):
        both = mutants(FILE, function("last = a", "last = a", "return a"))
        self.assertEqual(len({one.number for one in both}), 2)

    def test_a_number_stays_when_lines_move(self):
        source = function("return a < b")
        [before], [after] = mutants(FILE, source), mutants(FILE, "\n\n" + source)
        self.assertEqual(before.number, after.number)


class WeavingTests(unittest.TestCase):
    def setUp(self):
        self.source = function("return a < b || a == 5")
        self.mutants = mutants(FILE, self.source)
        self.text, parts = woven(self.source, self.mutants)
        self.parts = {FILE: parts}

    def error_at(self, text):
        # The line of the import comes first.
        lines = ["import", *self.text.splitlines()]
        return f"/copy/{FILE}:{lines.index(text) + 1}:9: error: no"

    def test_each_mutant_is_a_branch_before_the_code_that_ships(self):
        self.assertEqual(self.text.count("if seededBug =="), len(self.mutants))
        self.assertIn("else {\n\n    return a < b || a == 5\n", self.text)

    def test_an_error_condemns_the_mutant_of_its_line(self):
        [one] = refused(self.error_at("    return a <= b || a == 5"), self.parts)
        self.assertEqual(one.rule, "comparison")

    def test_an_error_beside_the_variants_condemns_all_of_the_body(self):
        self.assertEqual(refused(f"/copy/{FILE}:2:1: error: no", self.parts), set(self.mutants))

    def test_warnings_condemn_nothing(self):
        self.assertEqual(refused(f"/copy/{FILE}:3:1: warning: unused", self.parts), set())


class RunTests(unittest.TestCase):
    def test_the_tests_of_the_own_module_run_first(self):
        [(first, _), (second, others)] = test_passes("Store")
        self.assertEqual((first, second), ("Store", "others"))
        self.assertIn("ReplicaCore", others[1])

    def test_the_first_failure_is_read_out_of_the_test_log(self):
        self.assertEqual(
            FAILED.search("✘ Test \"a gap is asked for\" recorded an issue at LogTests.swift:3:5: no")[1],
            '"a gap is asked for"')
        self.assertIsNone(FAILED.search("◇ Test \"a gap is asked for\" started."))


class ReportTests(unittest.TestCase):
    def test_a_summary_counts_what_either_side_noticed(self):
        kill = {"by": "a test", "seed": None, "details": "", "seconds": 1.0}
        rows = [{"module": "Store", "file": FILE, "unit": unit, "simulator": simulator}
                for unit, simulator in [(kill, None), (None, kill), (kill, kill), (None, None)]]
        *_, last = mutant_report.summary(rows).splitlines()
        self.assertEqual(last, "| all | 4 | 2 (50 %) | 2 (50 %) | 3 (75 %) |")

    def test_who_was_not_asked_is_not_counted(self):
        rows = [{"module": "Store", "file": FILE, "unit": None}, {"module": "Store", "file": FILE, "simulator": None}]
        *_, last = mutant_report.summary(rows).splitlines()
        self.assertEqual(last, "| all | 2 | 0 of 1 (0 %) | 0 of 1 (0 %) | 0 (0 %) |")


class ResultsTests(unittest.TestCase):
    def test_what_is_known_of_a_mutant_is_found_again_where_its_line_has_moved(self):
        source = function("return a < b")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            [one] = mutants(FILE, source)
            results = Results(path)
            results.add({**results.row(one), "simulator": None, "seeds": 40})
            [moved] = mutants(FILE, "\n" + source)
            row = Results(path).row(moved)
        self.assertEqual((row["line"], row["seeds"]), (one.line + 1, 40))

    def test_mutants_that_are_left_out_are_forgotten(self):
        results = Results()
        both = mutants(FILE, function("return a < b || a == 5"))
        for one in both:
            results.row(one)
        results.keep(both[:1])
        self.assertEqual(list(results.rows), [both[0].number])


class StageTests(unittest.TestCase):
    def test_a_later_stage_goes_on_after_the_seeds_of_the_one_before(self):
        swarm, other = Path("swarm.scenario"), Path("dense.scenario")
        self.assertEqual([share(swarm, seeds) for seeds in (0, 10, 100)], [0, 10, 100])
        self.assertEqual([share(other, seeds) for seeds in (0, 5, 10, 15, 100)], [0, 0, 1, 1, 10])


class SampleTests(unittest.TestCase):
    def setUp(self):
        self.pool = [one for name in ("Store", "Rules") for one in
                     mutants(f"Sources/{name}/Example.swift", function("return a < b || a == 5 || b < 7"))]

    def test_the_modules_take_turns(self):
        self.assertEqual([one.module for one in sample(self.pool, 4, 1)], ["Store", "Rules", "Store", "Rules"])

    def test_what_the_compiler_refuses_is_replaced_and_the_others_stay(self):
        first, *others = sample(self.pool, 4, 1)
        again = sample(self.pool, 4, 1, {first.number})
        self.assertNotIn(first, again)
        self.assertTrue(set(others) <= set(again))


class BeyondTests(unittest.TestCase):
    def test_a_file_and_a_folder_are_left_to_the_unit_tests(self):
        beyond = Beyond("# Why.\n\nSources/Rules/Review/: texts.\nSources/Rules/Judge.swift: more\n")
        self.assertIn("Sources/Rules/Review/Audit.swift", beyond)
        self.assertIn("Sources/Rules/Judge.swift", beyond)
        self.assertNotIn("Sources/Rules/Reviewer.swift", beyond)

    def test_a_line_is_stale_without_a_reason_or_a_file(self):
        beyond = Beyond("Sources/A/:\nSources/B/: it is gone\nSources/C/: texts\n")
        self.assertEqual(beyond.stale({"Sources/A/A.swift", "Sources/C/C.swift"}), ["Sources/A/", "Sources/B/"])


class EquivalentTests(unittest.TestCase):
    def test_an_entry_is_stale_once_its_line_has_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list"
            path.write_text(f"# Why.\n\nfile: {FILE}\nrule: comparison\nold: return a < b\nnew: return a <= b\n"
                            "why: they differ.\n")
            reasons = equivalent_mutants.read(path)
        self.assertEqual(equivalent_mutants.stale(reasons, mutants(FILE, function("return a < b"))), [])
        self.assertEqual(len(equivalent_mutants.stale(reasons, mutants(FILE, function("return a > b")))), 1)

    def test_a_stanza_without_a_reason_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list"
            path.write_text("file: a\nrule: b\nold: c\nnew: d\n")
            with self.assertRaises(equivalent_mutants.ListError):
                equivalent_mutants.read(path)


if __name__ == "__main__":
    unittest.main()
