import Foundation
import Testing

/// The program `hearth`, run as a user would.
enum Command {
    struct Outcome {
        var status: ExitCode
        var output: String
        var errors: String
    }

    /// Beside the program that runs the tests.
    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("hearth").path

    /// Runs it to its end.
    static func run(
        _ words: [String], input: String = "", in folder: String? = nil
    ) throws -> Outcome {
        var words = words
        if let folder { words += ["--dir", folder] }
        return try shell("exec \"$0\" \"$@\"", words, input: input)
    }

    /// Runs a line of bash, where $0 is the program and $1 the first of the words.
    static func shell(
        _ script: String, _ words: [String] = [], input: String = ""
    ) throws -> Outcome {
        let files = try TemporaryFolder()
        try files.write(Array(input.utf8), to: "input")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script, program] + words
        process.standardInput = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: files.path + "/input"))
        // Files, not pipes: nodes that a command starts keep what it has open.
        process.standardOutput = try files.handle(for: "output")
        process.standardError = try files.handle(for: "errors")
        try process.run()
        process.waitUntilExit()
        let (output, errors) = (try files.read("output"), try files.read("errors"))
        let status = ExitCode(process.terminationStatus, output: output, errors: errors)
        return Outcome(status: status, output: output, errors: errors)
    }
}

/// A cluster of nodes on free ports, which goes away with the fixture.
final class CommandCluster {
    let folder: TemporaryFolder

    init(nodes count: Int) throws {
        folder = try TemporaryFolder()
        NodeLogs.add(folder.path)
        var status = ExitCode(1)
        // Another program may have the ports that were drawn.
        for _ in 0..<10 where status != 0 {
            status = try run(
                "cluster", "up", "--nodes", "\(count)", "--detach", "--base-port",
                "\(Int.random(in: 2400...3190) * 10)"
            ).status
        }
        try #require(status == 0)
    }

    deinit { _ = try? run("cluster", "down") }

    func run(_ words: String..., input: String = "") throws -> Command.Outcome {
        try Command.run(words, input: input, in: folder.path)
    }

    /// The value at a path, as JSON.
    func value(at path: String) throws -> String {
        try run("get", path, "--export").output.trimmingCharacters(in: .newlines)
    }
}

extension TemporaryFolder {
    fileprivate func handle(for name: String) throws -> FileHandle {
        try write([], to: name)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/" + name))
    }

    func read(_ name: String) throws -> String {
        let data = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        return String(decoding: data, as: UTF8.self)
    }
}
