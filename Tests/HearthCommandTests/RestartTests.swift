import Foundation
import Testing

@testable import CommandLineKit

/// `hearth cluster restart`, `upgrade` and `wait`, with nodes in processes of their own.
@Suite(.serialized) struct RestartTests {
    private func processes(of cluster: CommandCluster) throws -> [String] {
        try ["n1", "n2", "n3"].map {
            try String(contentsOfFile: "\(cluster.folder.path)/\($0)/pid", encoding: .utf8)
        }
    }

    /// A program that checks configurations like `hearth`, and ends if it is to run a node.
    private func brokenProgram(in cluster: CommandCluster) throws -> String {
        let script = """
            #!/bin/bash
            [[ $1 == version || $2 == --check ]] && exec "\(Command.program)" "$@"
            echo "out of luck" >&2; exit 9
            """
        try cluster.folder.write(Array(script.utf8), to: "broken")
        let path = cluster.folder.path + "/broken"
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test func `a rolling restart under load keeps every acknowledged write`() throws {
        let cluster = try CommandCluster(nodes: 3)
        let before = try processes(of: cluster)
        let run = try Command.shell(
            """
            ( number=0; until [ -e "$1/stop" ]; do
              number=$((number + 1)); "$0" set /w/k$number $number --dir "$1" --timeout 20 && echo k$number
            done > "$1/done" 2> "$1/failed" ) & load=$!
            "$0" cluster restart --rolling --dir "$1"; echo "exit code $?"
            touch "$1/stop"; wait $load
            for node in n1 n2 n3; do "$0" get /w --shallow --stable --node $node --dir "$1" --timeout 20 > "$1/held"
              for key in $(cat "$1/done"); do grep -q "\\"$key\\"" "$1/held" || echo "$node lacks $key"; done
            done
            wc -l < "$1/done"
            """, [cluster.folder.path])
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 5 && lines[3] == "exit code 0", "\(run.output) \(run.errors)")
        #expect(
            Set(lines.prefix(3).map { String($0.prefix(23)) })
                == [
                    "n1 is ready again after", "n2 is ready again after", "n3 is ready again after",
                ])
        #expect(Int(lines.last ?? "") ?? 0 > 3)
        let after = try processes(of: cluster)
        #expect(zip(before, after).allSatisfy { $0 != $1 })
    }

    @Test func `a program that does not run a node stops an upgrade at its first node`() throws {
        let cluster = try CommandCluster(nodes: 3)
        let before = try processes(of: cluster)
        let other = try cluster.run("cluster", "upgrade", "--program", "/bin/true")
        #expect(other.status == CommandLineKit.ExitStatus.noInput.rawValue)
        #expect(other.errors.contains("/bin/true is not the program hearth"))
        #expect(try processes(of: cluster) == before)
        let program = try brokenProgram(in: cluster)
        let run = try cluster.run("cluster", "upgrade", "--program", program)
        #expect(run.status == CommandLineKit.ExitStatus.unavailable.rawValue)
        let failed = try #require(
            ["n1", "n2", "n3"].first { run.errors.contains("error: \($0) did not return, and ") })
        #expect(run.errors.contains("out of luck"), "\(run.errors)")
        #expect(run.errors.contains("were not restarted: it ended; its log ends with"))
        #expect(run.errors.contains("\(program) cluster start \(failed)"))
        let left = ["n1", "n2", "n3"].filter { $0 != failed }
        for (node, process) in zip(["n1", "n2", "n3"], before) where node != failed {
            let file = "\(cluster.folder.path)/\(node)/pid"
            #expect(try String(contentsOfFile: file, encoding: .utf8) == process)
        }
        #expect(try cluster.run("set", "/a", "1", "--node", left[0]).status == 0)
        #expect(try cluster.run("cluster", "wait", "--timeout", "1").status == 69)
        #expect(try cluster.run("cluster", "wait", left[0], left[1]).status == 0)
        // Nothing more is stopped while a node is absent.
        let again = try cluster.run("cluster", "restart", "--rolling")
        #expect(again.errors.contains("error: \(failed) does not run on this machine"))
        #expect(try cluster.run("cluster", "start", failed).status == 0)
        #expect(try cluster.run("cluster", "wait").status == 0)
        let upgrade = try cluster.run("cluster", "upgrade")
        #expect(upgrade.output.contains("n1 already runs this program"))
    }

    @Test func `a missing program, and a start of no node, are found without a cluster`() throws {
        let folder = try TemporaryFolder()
        let upgrade = try Command.run(
            ["cluster", "upgrade", "--program", "/missing"], in: folder.path)
        #expect(upgrade.status == CommandLineKit.ExitStatus.noInput.rawValue, "\(upgrade.errors)")
        #expect(upgrade.errors.contains("cannot start /missing: No such file"))
        let start = try Command.run(["cluster", "start"], in: folder.path)
        #expect(start.status == CommandLineKit.ExitStatus.usage.rawValue)
        #expect(
            start.errors.contains("or `hearth cluster up --detach` to start all nodes"),
            "\(start.errors)")
    }

    @Test func `an interrupted wait names what it waited for`() throws {
        let cluster = try CommandCluster(nodes: 1)
        _ = try cluster.run("cluster", "stop", "n1")
        let run = try Command.shell(
            #"timeout -s INT 2 "$0" cluster wait --dir "$1"; echo "exit code $?""#,
            [cluster.folder.path])
        #expect(
            run.errors.hasPrefix(
                "waiting: n1 is stopped\nerror: interrupted before all nodes were ready: n1 is "
                    + "stopped\n"),
            "\(run.errors)")
    }

    @Test func `a mistake in the configuration is found before a node stops`() throws {
        let cluster = try CommandCluster(nodes: 1)
        let before = try String(
            contentsOfFile: cluster.folder.path + "/n1/pid", encoding: .utf8)
        try Command.shell(
            #"sed -i 's/^}$/, "http": {"certificate": "no.pem", "key": "no.key"}}/' "$1/cluster.json""#,
            [cluster.folder.path]
        ).require()
        let run = try cluster.run("cluster", "restart", "--rolling")
        #expect(run.status == CommandLineKit.ExitStatus.misconfigured.rawValue, "\(run.errors)")
        #expect(
            try String(contentsOfFile: cluster.folder.path + "/n1/pid", encoding: .utf8) == before)
    }
}

extension Command.Outcome {
    fileprivate func require() throws { try #require(status == 0, "\(errors)") }
}
