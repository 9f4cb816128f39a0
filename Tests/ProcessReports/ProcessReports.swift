import Foundation
import Synchronization
import Testing

// A failed expectation prints the output of its test's programs. Each test target that starts programs has a link to this file.

/// The exit status of a program.
///
/// A failed expectation such as `outcome.status == 0` prints the program's output and the logs of the test's nodes.
struct ExitCode: Sendable, CustomTestStringConvertible {
    let code: Int32
    private let output: String
    private let errors: String

    init(_ code: Int32, output: String = "", errors: String = "") {
        (self.code, self.output, self.errors) = (code, output, errors)
    }

    static func == (status: ExitCode, code: Int32) -> Bool { status.code == code }
    static func != (status: ExitCode, code: Int32) -> Bool { status.code != code }

    var testDescription: String {
        "\(code)" + NodeLogs.section("output", output) + NodeLogs.section("errors", errors)
            + NodeLogs.text
    }
}

extension ExitCode? {
    /// A program that could not be started has no status.
    static func == (status: ExitCode?, code: Int32) -> Bool { status?.code == code }
}

/// The logs of the nodes that the tests have started, for the messages of failures.
enum NodeLogs {
    private struct Source: Sendable {
        let test: Test.ID?
        let path: String
    }

    private static let sources = Mutex<[Source]>([])
    private static let linesShown = 40

    /// Adds a log of the present test, or the folder of a cluster, whose nodes have a log each.
    static func add(_ path: String) {
        let source = Source(test: Test.current?.id, path: path)
        sources.withLock { $0.append(source) }
    }

    /// The ends of the logs of the present test; those of clusters that are gone are missing.
    static var text: String {
        let test = Test.current?.id
        let paths = sources.withLock { all in all.filter { $0.test == test }.map(\.path) }
        return paths.flatMap(files).map { path in
            let bytes = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
            return section("log \(path)", String(decoding: bytes, as: UTF8.self))
        }.joined()
    }

    private static func files(at path: String) -> [String] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            return [path]
        }
        return names.sorted().map { "\(path)/\($0)/log" }
            .filter(FileManager.default.fileExists(atPath:))
    }

    /// The last lines of a text, under a title; nothing of an empty one.
    static func section(_ title: String, _ text: String) -> String {
        let lines = text.split(separator: "\n").suffix(linesShown)
        return lines.isEmpty ? "" : "\n--- \(title):\n" + lines.joined(separator: "\n")
    }
}
