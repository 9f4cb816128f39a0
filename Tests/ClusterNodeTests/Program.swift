import Foundation
import Testing

/// A program that a test runs, with its output in files of its own, so that no pipe can fill up.
final class Program {
    private let process = Process()
    private let folder: TemporaryFolder
    private let hasEnded = DispatchSemaphore(value: 0)

    struct Outcome {
        let status: ExitCode
        let output: String
        let errors: String
    }

    /// - Parameter input: A file for standard input; without it there is none.
    init(_ path: String, _ arguments: [String], input: URL? = nil) throws {
        folder = try TemporaryFolder()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let input = try input.map { try FileHandle(forReadingFrom: $0) }
        let files = [try folder.emptyFile("output"), try folder.emptyFile("errors")]
        process.standardInput = input ?? .nullDevice
        process.standardOutput = files[0]
        process.standardError = files[1]
        process.terminationHandler = { [hasEnded] _ in hasEnded.signal() }
        try process.run()
        if arguments.contains("node") { NodeLogs.add(folder.file("errors")) }
        // The program has its own. Left open, they add up to more than Foundation can watch (1,024 with all
        // else), and then it misses the ends of programs.
        for file in files + [input].compactMap({ $0 }) { try file.close() }
    }

    deinit {
        if process.isRunning { Foundation.kill(identifier, SIGKILL) }
    }

    var output: String { folder.text(of: "output") }
    var errors: String { folder.text(of: "errors") }

    var identifier: Int32 { process.processIdentifier }

    /// Sends SIGTERM.
    func terminate() { process.terminate() }

    /// Sends SIGKILL, and waits for the end.
    func kill() throws {
        Foundation.kill(identifier, SIGKILL)
        _ = try end()
    }

    /// Waits for the end; a program that takes too long is killed, which fails the test.
    func end(within seconds: Double = 30) throws -> Outcome {
        guard hasEnded.wait(timeout: .now() + seconds) == .success else {
            Foundation.kill(identifier, SIGKILL)
            throw TooSlow(arguments: process.arguments ?? [], errors: errors)
        }
        hasEnded.signal()
        let status = ExitCode(process.terminationStatus, output: output, errors: errors)
        return Outcome(status: status, output: output, errors: errors)
    }

    struct TooSlow: Error {
        let arguments: [String]
        let errors: String
    }

    /// `hearth`, as it was built with the tests.
    static func hearth(_ arguments: String...) throws -> Program {
        try Program(hearthPath, arguments)
    }

    static var hearthPath: String {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("hearth").path
    }

    /// The client in Python, with Debian's own interpreter, which finds its modules.
    static func client(_ arguments: String...) throws -> Program {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/client.py").path
        return try Program("/usr/bin/python3", [script] + arguments)
    }
}

/// Reads again and again until what it reads is as it should be.
func eventually(
    within seconds: Double = 20, _ what: String, _ isSo: () throws -> Bool
) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while try !isSo() {
        try #require(Date() < deadline, "not within \(seconds) s: \(what)\(NodeLogs.text)")
        usleep(20_000)
    }
}
