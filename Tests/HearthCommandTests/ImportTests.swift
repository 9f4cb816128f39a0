import ClientCore
import ClusterAdministration
import DataTree
import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

private typealias ExitStatus = CommandLineKit.ExitStatus

@Suite struct ImportReportTests {
    private let target = ImportTarget(
        path: Path([Key(unchecked: "a")]), source: "file.json", byteCount: 30_000_000)
    private let interruption = CommandError(.interrupted, "interrupted while waiting", fix: "later")

    private func state(begun: Int, done: Int) -> PieceImportState {
        var state = PieceImportState(sizes: [10_000_000, 10_000_000, 10_000_000])
        for _ in 0..<begun { state.begin() }
        for index in 0..<done { state.end(index, .success(.done)) }
        return state
    }

    @Test func `before the first piece nothing was changed`() {
        let report = state(begun: 0, done: 0).report(interruption, target)
        #expect(report.status == .interrupted)
        #expect(report.problem == "interrupted; nothing was changed at /a")
    }

    @Test func `a first piece without an answer may be there`() {
        let report = state(begun: 1, done: 0).report(interruption, target)
        #expect(
            report.problem
                == "interrupted; /a may have its previous value, or a part of file.json")
    }

    @Test func `a later report counts certain and uncertain pieces`() {
        #expect(
            state(begun: 2, done: 2).report(interruption, target).problem
                == "interrupted; /a holds 2 of 3 pieces (20.0 of 30.0 MB) of file.json; "
                + "the previous value is lost")
        var empty = target
        empty.isEmpty = true
        #expect(
            state(begun: 2, done: 2).report(interruption, empty).problem
                == "interrupted; /a holds 2 of 3 pieces (20.0 of 30.0 MB) of file.json")
        let unanswered = state(begun: 3, done: 2).report(interruption, target)
        #expect(unanswered.problem.contains("of file.json, and perhaps 1 more; the previous value"))
        #expect(unanswered.fix.contains("--replace"))
    }

    @Test func `a piece that was refused is not counted`() {
        var refused = state(begun: 1, done: 0)
        refused.end(0, .failure(HearthError(.invalid, "wrong", fix: "mend")))
        let failure = CommandError(.badData, "wrong", fix: "mend")
        #expect(refused.report(failure, target).problem == "wrong; nothing was changed at /a")
        var unknown = state(begun: 2, done: 1)
        unknown.end(1, .failure(HearthError(.timedOut, "late", fix: "look", effect: .unknown)))
        #expect(
            unknown.report(CommandError(.outcomeUnknown, "late", fix: "look"), target).problem
                .contains("1 of 3 pieces (10.0 of 30.0 MB) of file.json, and perhaps 1 more"))
    }

    @Test func `the sizes of pieces are those of the value`() {
        var children = Children()
        for index in 0..<100 {
            children[Key(unchecked: String(index))] = .string(String(repeating: "x", count: 100))
        }
        let value = Value(children)
        let pieces = ValuePieces(of: value, limit: 1_000)
        #expect(pieces.sizes.count == pieces.pieces.count)
        #expect(pieces.sizes.reduce(0, +) >= 100 * 100)
        #expect(pieces.sizes.reduce(0, +) <= value.size + 100 * 10)
    }
}

/// Imports into a node of its own.
@Suite(.serialized) struct ImportTests {
    /// Larger than what one operation replaces.
    private static func largeJSON() -> String {
        let text = String(repeating: "x", count: 1_000)
        return "{" + (0..<17_000).map { #""k\#($0)":"\#(text)""# }.joined(separator: ",") + "}"
    }

    @Test func `a file too large for one operation removes nothing without --replace`() throws {
        let cluster = try CommandCluster(nodes: 1)
        try #require(try cluster.run("set", "/a", #"{"old":1}"#).status == 0)
        let refused = try cluster.run("import", "/a", "-", input: Self.largeJSON())
        #expect(refused.status == ExitStatus.usage.rawValue)
        #expect(refused.errors.contains("/a is not empty"))
        #expect(refused.errors.contains("--replace"))
        #expect(try cluster.value(at: "/a") == #"{"old":1}"#)

        let empty = try cluster.run("import", "/b", "-", input: Self.largeJSON())
        #expect(empty.status == 0, "\(empty.errors)")
        let replaced = try cluster.run("import", "/a", "-", "--replace", input: Self.largeJSON())
        #expect(replaced.status == 0, "\(replaced.errors)")
        let list = try cluster.run("ls", "/")
        #expect(list.output == "a  17000 children\nb  17000 children\n")
    }

    @Test func `an interrupted import reports the present state`() throws {
        let cluster = try CommandCluster(nodes: 1)
        try #require(try cluster.run("set", "/a", #"{"old":1}"#).status == 0)
        try cluster.folder.write(Array(Self.largeJSON().utf8), to: "large.json")
        // The node is suspended once a part is there, so that the import cannot end before the signal.
        let run = try Command.shell(
            """
            cd "$1"; "$0" watch /a --events value --count 2 --dir . > events & watcher=$!
            until [ -s events ]; do :; done
            "$0" import /a large.json --replace --timeout 30 --dir . & import=$!
            wait $watcher; "$0" cluster pause n1 --dir . > /dev/null
            kill -TERM $import; wait $import; echo $?
            "$0" cluster resume n1 --dir . > /dev/null; "$0" ls /a --limit 1 --dir .
            """, [cluster.folder.path])
        #expect(run.output.hasPrefix("\(ExitStatus.interrupted.rawValue)\n"), "\(run.output)")
        #expect(run.errors.contains("error: interrupted; /a "), "\(run.errors)")
        #expect(run.errors.contains("of large.json"))
        #expect(run.errors.contains("repeat the import with --replace"))
        #expect(!run.output.contains("old"))
    }

    @Test func `up to the size of one operation readers see the old value or the new one`() throws {
        let cluster = try CommandCluster(nodes: 1)
        try #require(try cluster.run("set", "/a", #"{"old":1}"#).status == 0)
        let text = String(repeating: "y", count: 1_000)
        let json = "{" + (0..<5_000).map { #""k\#($0)":"\#(text)""# }.joined(separator: ",") + "}"
        try cluster.folder.write(Array(json.utf8), to: "five.json")
        // One event for all of it, though it is as large as twenty pieces.
        let seen = try Command.shell(
            """
            "$0" watch /a --events value --count 2 --dir "$1" > "$1/events" &
            until [ -s "$1/events" ]; do :; done
            "$0" import /a "$1/five.json" --dir "$1" && wait $! && wc -l < "$1/events"
            """, [cluster.folder.path])
        #expect(seen.output.trimmingCharacters(in: .whitespacesAndNewlines) == "2")
        #expect(try cluster.run("ls", "/").output == "a  5000 children\n")
        let last = try Command.shell(#"tail -n 1 "$1/events" | wc -c"#, [cluster.folder.path])
        #expect((Int(last.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 5_000_000)
    }
}
