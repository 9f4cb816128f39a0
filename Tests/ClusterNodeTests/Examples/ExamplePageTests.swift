import Foundation
import Testing

/// The commands of the pages in `Sources/Examples` succeed as they are written.
@Suite(.timeLimit(.minutes(3))) struct ExamplePageTests {
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs Python"))
    func `the commands start the web chat and workers, restart a killed node, and end all nodes`()
        throws
    {
        let folder = try TemporaryFolder()
        let chat = try Self.blocks(of: "WebChat/README.md")
        let worker = try Self.blocks(of: "Worker/README.md")
        try #require(chat.count == 7 && worker.count == 2, "the pages have other blocks")
        let (start, rules, server, kill, end) = (chat[0], chat[1], chat[2], chat[3], chat[4])

        let script = [
            "trap 'kill -KILL $(jobs -p) 2> /dev/null' EXIT",
            start, rules,
            "pushd WebChat", Self.withoutTerminal(server), "popd",
            "until curl -sf http://127.0.0.1:8000/; do sleep 0.1; done",
            worker[0], Self.message,
            worker[1].replacingOccurrences(of: "sleep 2", with: "sleep 5"),
            kill, "hearth cluster wait --config cluster/cluster.json5", end,
            "while pgrep -f 'hearth node --config cluster/cluster.json5'; do sleep 0.1; done",
            "echo all nodes have ended",
        ].joined(separator: "\n")
        let outcome = try Self.run(script, in: folder)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        for text in [
            " cases passed", "<title>Hearth chat</title>", "\"result\":{\"ada\":1}",
            "all nodes have ended\n",
        ] {
            #expect(outcome.output.contains(text), "\(outcome.output)\(outcome.errors)")
        }
    }

    /// The message that the page of the worker asks for.
    private static let message = """
        hearth push /messages/lobby '{"from": "ada", "text": "hello", "at": {".sv": "timestamp"}}' \
            --config cluster/cluster.json5 --token "$(hearth token new --uid ada --config cluster/cluster.json5)"
        """

    /// The blocks between ```sh fences of a page, in order.
    private static func blocks(of page: String) throws -> [String] {
        let text = try String(
            contentsOfFile: ExampleCluster.examples + "/" + page, encoding: .utf8)
        return text.components(separatedBy: "\n```sh\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    /// The commands of the web server: the passwords come from a pipe, and the server runs in the background.
    private static func withoutTerminal(_ block: String) -> String {
        block.replacingOccurrences(of: "cd WebChat\n", with: "")
            .replacingOccurrences(
                of: "python3 server.py add",
                with: "printf '%s\\n' secret secret | python3 server.py add")
            + " &"
    }

    /// Runs a script in a copy of the examples, with ports and a folder of the cluster of its own.
    private static func run(
        _ script: String, in folder: TemporaryFolder
    ) throws -> Program.Outcome {
        let examples = folder.file("Examples")
        try FileManager.default.copyItem(atPath: ExampleCluster.examples, toPath: examples)
        let (port, web) = (try TestCluster.freePorts(), try TestCluster.freePorts())
        let name = "cluster-\(UUID().uuidString.prefix(8))"
        let own =
            script
            .replacingOccurrences(
                of: "--nodes 127.0.0.1,127.0.0.1,127.0.0.1",
                with: "--nodes 127.0.0.1:\(port),127.0.0.1:\(port + 10),127.0.0.1:\(port + 20)"
            )
            .replacingOccurrences(of: "--out cluster ", with: "--out \(name) ")
            .replacingOccurrences(of: "cluster/", with: name + "/")
            .replacingOccurrences(of: "server.py run", with: "server.py run --port \(web)")
            .replacingOccurrences(of: "127.0.0.1:8000", with: "127.0.0.1:\(web)")
            .replacingOccurrences(of: "127.0.0.1:7001", with: "127.0.0.1:\(port)")
            .replacingOccurrences(of: "127.0.0.1:7011", with: "127.0.0.1:\(port + 10)")
            .replacingOccurrences(of: "127.0.0.1:7021", with: "127.0.0.1:\(port + 20)")
        // In a file, because `pgrep -f` would find a shell whose arguments are the script.
        let file = folder.file("script")
        let programs = URL(fileURLWithPath: Program.hearthPath).deletingLastPathComponent().path
        try "cd '\(examples)'; PATH='\(programs)':/usr/bin:$PATH\n\(own)"
            .write(toFile: file, atomically: true, encoding: .utf8)
        // SIGTERM lets the shell end its nodes.
        return try Program("/usr/bin/timeout", ["100", "/bin/bash", "-euo", "pipefail", file])
            .end(within: 110)
    }
}
