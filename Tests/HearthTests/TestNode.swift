import Foundation
import Testing

/// One node of its own process on a free port, which goes away with the fixture.
final class TestNode {
    let url: String
    private let folder: String
    private let port = Int.random(in: 1500...3199) * 10

    init() throws {
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-sdk-\(UUID().uuidString)").path
        url = "tcp://127.0.0.1:\(port)"
        try run("up", "--nodes", "1", "--base-port", "\(port)", "--detach")
    }

    deinit {
        try? run("down")
        try? FileManager.default.removeItem(atPath: folder)
    }

    func kill() throws { try run("kill", "n1") }
    func start() throws { try run("start", "n1") }

    /// Runs a verb of `hearth cluster`, which must succeed.
    private func run(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("hearth")
        process.arguments = ["cluster"] + words + ["--dir", folder]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "hearth cluster \(words)")
    }
}
