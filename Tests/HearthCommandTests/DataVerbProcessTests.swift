import ClientCore
import Foundation
import Testing

@testable import CommandLineKit
@testable import HearthCommand

private typealias ExitStatus = CommandLineKit.ExitStatus

/// The verbs for data as a user sees them: against nodes in processes of their own, some of them killed.
@Suite(.serialized) struct DataVerbProcessTests {
    @Test func `without a majority a push prints its key, and that it is done`() throws {
        let cluster = try CommandCluster(nodes: 3)
        for node in ["n2", "n3"] {
            try #require(try cluster.run("cluster", "kill", node).status == 0)
        }
        let push = try cluster.run("push", "/list", "1", "--concern", "majority", "--node", "n1")
        #expect(push.status == ExitStatus.lessDurable.rawValue)
        #expect(push.errors.contains("the write is done"))
        #expect(!push.errors.contains("write again if"))
        let key = push.output.trimmingCharacters(in: .newlines)
        #expect(key.count == 20)
        #expect(try cluster.value(at: "/list/" + key) == "1")
        #expect(push.errors.contains("waiting for n1"))

        let stream = try cluster.run(
            "push", "/lines", "--stdin", "--concern", "all", "--node", "n1", input: "1\n2\n3\n")
        #expect(stream.status == ExitStatus.lessDurable.rawValue)
        let keys = stream.output.split(separator: "\n")
        #expect(keys.count == 3)
        #expect(
            try cluster.run("ls", "/lines").output.split(separator: "\n").count == keys.count)
    }

    @Test func `no verb waits longer than its timeout for a node that does not answer`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let pause = try cluster.run("cluster", "pause", "n1")
        try #require(pause.status == 0, "\(pause.errors)")
        defer { _ = try? cluster.run("cluster", "resume", "n1") }
        try cluster.folder.write(Array("1".utf8), to: "one.json")
        let file = cluster.folder.path + "/one.json"
        for words in [
            ["get", "/a"], ["get", "/a", "--shallow"], ["ls", "/"], ["query", "/a"],
            ["set", "/a", "1"], ["push", "/a", "1"], ["push", "/a", "--stdin"],
            ["update", "/", "{\"a\":1}"], ["remove", "/a"], ["transaction", "/a", "value + 1"],
            ["watch", "/a"], ["on-disconnect", "/a", "1"], ["import", "/a", file],
            ["export", "/a", "-"], ["backup", "copy"], ["get", "/a", "--stable"],
        ] {
            let words = words + ["--timeout", "1"]
            let run = try Command.run(words, input: "1\n", in: cluster.folder.path)
            #expect(
                [ExitStatus.unavailable, .outcomeUnknown].map(\.rawValue).contains(run.status.code),
                "\(words): \(run.status.code) \(run.errors)")
        }
    }

    @Test func `a push stream ends without its node, and reports the pushed lines`()
        throws
    {
        let cluster = try CommandCluster(nodes: 1)
        // The node goes once the first line is pushed.
        let run = try Command.shell(
            """
            { echo 1; until [ -s "$1/keys" ]; do :; done
              "$0" cluster kill n1 --dir "$1" >&2; echo 2; } |
                "$0" push /a --stdin --timeout 1 --dir "$1" > "$1/keys"
            echo "${PIPESTATUS[1]} $(wc -l < "$1/keys")"
            """, [cluster.folder.path])
        #expect(run.output == "\(ExitStatus.outcomeUnknown.rawValue) 1\n", "\(run.errors)")
        #expect(run.errors.contains("line 2 and those after it may have been pushed"))
        #expect(run.errors.contains("the lines whose keys are printed are pushed"))
    }

    @Test func `watch says that it has lost its node, and when the node is back`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            """
            cd "$1" && "$0" set /a 1 --dir .
            "$0" watch /a --events value --count 2 --dir . > events 2> notices & watcher=$!
            until [ -s events ]; do :; done
            "$0" cluster kill n1 --dir . && until grep -q lost notices; do :; done
            "$0" cluster start n1 --dir . && "$0" set /a 2 --dir .
            wait $watcher; echo $?; cat notices
            """, [cluster.folder.path])
        let lines = run.output.split(separator: "\n")
        #expect(lines.contains("0"))
        #expect(lines.contains { $0.hasPrefix("lost contact with n1 (http://127.0.0.1:") })
        #expect(lines.contains { $0.hasPrefix("connected to n1 (http://127.0.0.1:") })
        #expect(lines.count { $0.hasPrefix("lost contact") } == 1)
    }

    @Test func `on-disconnect that has lost its node registers at the next one`() throws {
        let cluster = try CommandCluster(nodes: 2)
        let run = try Command.shell(
            """
            cd "$1"
            shows() {
              for try in {1..100}; do
                [ "$("$0" get /online/ada --dir . --node n2)" = "$1" ] && return
              done
              echo "not $1"
            }
            "$0" on-disconnect /online/ada false --set true --dir . --node n1 --node n2 > state 2> notices & holder=$!
            until [ -s state ]; do :; done
            "$0" set /online/ada '"away"' --dir . --node n2
            "$0" cluster kill n1 --dir . > killed
            shows true
            kill -9 $holder
            shows false
            cat notices
            """, [cluster.folder.path])
        #expect(run.output.hasPrefix("lost contact with n1"), "\(run.output)")
        #expect(run.output.contains("connected to n2") && !run.output.contains("not"))
    }

    @Test func `large lists are shown without what is below them`() throws {
        let cluster = try CommandCluster(nodes: 1)
        try #require(try cluster.run("set", "/r", #"{"a":{"x":1,"y":2},"b":"t"}"#).status == 0)
        #expect(try cluster.run("ls", "/r").output == "a  2 children\nb  \"t\"\n")
        #expect(try cluster.run("get", "/r", "--shallow").output == #"{"a":true,"b":"t"}"# + "\n")
        try #require(try cluster.run("set", "/l", #"{"1":"a","2":{"x":1},"3":2}"#).status == 0)
        #expect(
            try cluster.run("get", "/l", "--shallow").output == #"{"1":"a","2":true,"3":2}"# + "\n")
        #expect(
            try cluster.run("ls", "/r", "--json", "--start-at", "b").output
                == #"{"key":"b","value":"t"}"# + "\n")
        let part = try cluster.run("ls", "/r", "--limit", "1")
        #expect(part.output == "a  2 children\n")
        #expect(part.errors.contains("1 of 2 children") && part.errors.contains("--start-at 'b'"))
        #expect(try cluster.run("ls", "/nothing").output.isEmpty)
    }
}

/// Input that is not data is neither stored nor lost silently.
@Suite struct SilentLossTests {
    @Test(arguments: ["--help", "--version", "get --help", "sim shrink --help"])
    func `output that cannot be written ends with an error`(words: String) throws {
        let run = try Command.shell("\"$0\" \(words) > /dev/full")
        #expect(run.status == ExitStatus.cannotCreate.rawValue)
        #expect(run.errors.contains("No space left on device"))
    }

    /// A connection would have its number, and get the output.
    @Test func `closed output ends with an error that says so`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let run = try Command.shell(
            "\"$0\" get / --dir \"$1\" <&- >&-", [cluster.folder.path])
        #expect(run.status == ExitStatus.cannotCreate.rawValue)
        #expect(run.errors.hasPrefix("error: cannot write standard output: it is closed\n"))
    }

    @Test func `a reader that goes away is no error`() throws {
        let run = try Command.shell(#""$0" --help | head -n 1; echo "${PIPESTATUS[0]}""#)
        #expect(run.errors.isEmpty)
        #expect(!run.output.contains("\n\(ExitStatus.cannotCreate.rawValue)\n"))
    }

    @Test func `a path that is not UTF-8 is refused`() throws {
        let run = try Command.shell(#""$0" get $'/caf\xe9' --node http://127.0.0.1:9"#)
        #expect(run.status == ExitStatus.usage.rawValue)
        #expect(run.errors.contains("word 2 of the command line is not UTF-8"))
    }

    @Test func `words in UTF-8 are taken as they are`() throws {
        for text in ["/zoë", "/e\u{301}", "日本", ""] {
            let word = try text.withCString { bytes throws(CommandError) in
                try CommandLineWords.word(bytes, number: 1)
            }
            #expect(Array(word.utf8) == Array(text.utf8))
        }
    }

    @Test func `the effect of a write decides its exit code`() {
        func status(_ effect: HearthError.Effect) -> CommandLineKit.ExitStatus {
            CommandError(HearthError(.notMet, "p", fix: "f", effect: effect)).status
        }
        #expect(status(.done) == .lessDurable)
        #expect(status(.unknown) == .outcomeUnknown)
        #expect(status(.none) == .unavailable)
        #expect(CommandError(HearthError(.notMet, "p", fix: "f", effect: .done)).leavesWrite)
        #expect(!CommandError(HearthError(.invalid, "p", fix: "f")).leavesWrite)
    }
}
