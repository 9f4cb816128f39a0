import Foundation
import Testing

/// A node in a process of its own whose clients are users with tokens, and rules; it goes away with the fixture.
final class TestUserNode {
    /// Each user has an own location, and all users read the news.
    private static let rules =
        #"{"rules": {"news": {".read": true}, "users": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}}}}"#

    let url: String
    private let folder: String
    private let node: Process

    init() throws {
        let folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-sdk-\(UUID().uuidString)").path
        self.folder = folder
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        _ = try Self.output("keys", "signing-key", folder + "/signing.key")
        let port = Int.random(in: 2400...3190) * 10
        url = "http://127.0.0.1:\(port)"
        // The clocks are one, so that tokens expire at once.
        let configuration = """
            {cluster: 'users', directory: 'data', nodes: [{id: 'n1', client: '\(url)',
              requests: 'tcp://127.0.0.1:\(port + 1)', updates: 'tcp://127.0.0.1:\(port + 2)'}],
             tokens: {issuers: [{signingKeys: ['signing.key'], admin: 'admin', skewSeconds: 0}]}}
            """
        try configuration.write(
            toFile: folder + "/cluster.json5", atomically: true, encoding: .utf8)
        try Self.rules.write(toFile: folder + "/rules.json", atomically: true, encoding: .utf8)
        node = try Self.start("node", "--config", folder + "/cluster.json5", "--id", "n1")
        let admin = try token("root", "--claim", "admin=true")
        let deadline = Date(timeIntervalSinceNow: 20)
        while try Self.status(
            "rules", "set", folder + "/rules.json", "--node", url, "--token", admin) != 0
        {
            try #require(Date() < deadline, "the node takes rules")
            // Until the node listens; the deadline bounds it.
            usleep(50_000)
        }
    }

    deinit {
        node.terminate()
        node.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A token of a user, which only the node at this address takes.
    func token(_ user: String, _ words: String...) throws -> String {
        try Self.output(
            ["token", "new", "--uid", user, "--with", folder + "/signing.key"] + words)
    }

    private static func start(_ words: [String], _ output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func start(_ words: String...) throws -> Process { try start(words) }

    private static func status(_ words: String...) throws -> Int32 {
        let process = try start(words)
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static func output(_ words: String...) throws -> String { try output(words) }

    private static func output(_ words: [String]) throws -> String {
        let pipe = Pipe()
        let process = try start(words, pipe)
        let text = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "hearth \(words)")
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
