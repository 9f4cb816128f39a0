import Foundation
import Testing

/// The programs in `Sources/Examples`, run as their pages say.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ExampleTests {
    private static let browser = "/usr/bin/chromium-headless-shell"
    private static let python = "/usr/bin/python3"

    @Test func `the rules of the chat pass their cases`() throws {
        let outcome = try Program.hearth("rules", "test", ExampleCluster.examples + "/chat.cases")
            .end()
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: browser),
            "scripts/test installs chromium-headless-shell"))
    func `the web chat works in two browsers while its node is killed`() throws {
        let cluster = try ExampleCluster()
        let outcome = try Program(
            Self.python,
            [
                Fixture.path("Examples/web_chat_cases.py"), ExampleCluster.examples + "/WebChat",
                cluster.folder.file("cluster/signing.key"), cluster.list, "\(cluster.process(0))",
            ]
        ).end(within: 100)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs Python"))
    func `the web server of the chat names a wrong option, and serves with TLS`() throws {
        let folder = try TemporaryFolder()
        let made = try Program.hearth("keys", "certificate", "127.0.0.2", "--out", folder.path)
            .end()
        #expect(made.status == 0, "\(made.errors)")
        let outcome = try Program(
            Self.python,
            [
                Fixture.path("Examples/web_server_cases.py"), ExampleCluster.examples + "/WebChat",
                folder.file("certificate.pem"), folder.file("certificate.key"),
            ]
        ).end(within: 60)
        #expect(outcome.output == "all well\n", "\(outcome.errors)")
    }

    @Test func `the Swift chat keeps messages while no node runs, and sends each one once`() throws
    {
        let cluster = try ExampleCluster()
        let ada = try TerminalChat("ada", in: cluster)
        ada.type("one")
        try eventually("a node has the message") { try Self.texts(at: cluster) == ["one"] }

        for node in 0..<3 { try cluster.kill(node) }
        try eventually("the chat is offline") { ada.output.contains("(offline: messages wait)") }
        ada.type("two")
        try eventually("the message is shown") { ada.output.contains("ada: two") }
        try ada.end()

        for node in 0..<3 { try cluster.start(node) }
        let again = try TerminalChat("ada", in: cluster)
        again.type("three")
        try eventually("the nodes have all messages once") {
            try Self.texts(at: cluster) == ["one", "two", "three"]
        }
        try eventually("the user is online") {
            try cluster.read("/presence")?.keys.contains("ada") == true
        }
        try again.end()
        try eventually("the user is offline") { try cluster.read("/presence")?.isEmpty == true }
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs Python"))
    func `a worker claims a job that is due, and finishes only its own`() throws {
        let outcome = try Program(
            Self.python,
            [Fixture.path("Examples/worker_cases.py"), ExampleCluster.examples + "/Worker"]
        ).end()
        #expect(outcome.output == "all well\n", "\(outcome.errors)")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: python), "needs Python"))
    func `workers do each job once while a worker and a node are killed`() throws {
        let cluster = try ExampleCluster()
        let count = 12
        let token = try cluster.token("worker-1", "--claim", "worker=true")
        let ada = try cluster.token("ada")
        func hearth(_ words: String...) throws {
            try cluster.hearth(words + ["--node", cluster.addresses[1], "--token", ada])
        }
        for text in ["a", "b"] {
            try hearth(
                "push", "/messages/lobby",
                #"{"from": "ada", "text": "\#(text)", "at": {".sv": "timestamp"}}"#)
        }
        for _ in 0..<count {
            try hearth(
                "push", "/jobs", #"{"by": "ada", "room": "lobby", "due": {".sv": "timestamp"}}"#)
        }
        let workers = try (0..<3).map { _ in
            try Program(
                Self.python, [ExampleCluster.examples + "/Worker/worker.py", cluster.list, token])
        }
        try eventually("work is done") { workers.contains { $0.output.contains("done") } }
        try cluster.kill(0)
        try workers[0].kill()
        try eventually(within: 90, "all jobs are done") {
            try cluster.read("/jobs")?.values.allSatisfy { $0["result"] != nil } == true
        }
        let jobs = try #require(try cluster.read("/jobs"))
        #expect(jobs.count == count)
        #expect(
            jobs.values.allSatisfy {
                $0["result"] as? [String: Int] == ["ada": 2] && $0["due"] == nil
            })
        let done = workers.flatMap { $0.output.split(separator: "\n").map(String.init) }
        #expect(Set(done).count == done.count, "\(done)")
    }

    /// The texts of the room's messages, oldest first.
    private static func texts(at cluster: ExampleCluster) throws -> [String] {
        let messages = try cluster.read("/messages/lobby") ?? [:]
        return messages.sorted { $0.key < $1.key }.map { $0.value["text"] as? String ?? "" }
    }
}

/// The Swift chat, with a test as its user.
private final class TerminalChat {
    private let process = Process()
    private let input = Pipe()
    private let file: String
    private let folder: TemporaryFolder

    init(_ user: String, in cluster: ExampleCluster) throws {
        folder = cluster.folder
        file = "\(user)-\(UUID().uuidString).output"
        process.executableURL = URL(fileURLWithPath: Program.hearthPath).deletingLastPathComponent()
            .appendingPathComponent("SwiftChat")
        let token = cluster.folder.file(user + ".token")
        if !FileManager.default.fileExists(atPath: token) { _ = try cluster.token(user) }
        process.arguments = [cluster.list, user, token, "lobby"]
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.standardInput = input
        process.standardOutput = try folder.emptyFile(file)
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var output: String { folder.text(of: file) }

    func type(_ line: String) { input.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// Ends the input, as Ctrl-D does.
    func end() throws {
        try input.fileHandleForWriting.close()
        let process = process
        try eventually("the chat ends") { !process.isRunning }
    }
}
