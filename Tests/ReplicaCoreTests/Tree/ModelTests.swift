import Convergence
import DataTree
import Foundation
import SyncProtocol
import Testing

/// The tree shows what the executable model shows (`convergence_model.py`), after every arrival.
@Suite struct ModelTests {
    /// One operation as it arrives, and the leaves that the model shows then.
    private struct Arrival: Decodable {
        let operation: SyncProtocol.Operation
        let shown: Value

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            let stamp = try parts.decode(Int.self)
            let writes = try parts.decode([ModelWrite].self).map(\.write)
            operation = SyncProtocol.Operation(stamp: Universe.stamp(stamp), writes: writes)
            var shown = Value.null
            for (path, leaf) in try parts.decode([String: ModelValue].self) {
                shown.set(leaf.value, at: Universe.path(path))
            }
            self.shown = shown
        }
    }

    /// `[path, value]`.
    private struct ModelWrite: Decodable {
        let write: Write

        init(from decoder: any Decoder) throws {
            var parts = try decoder.unkeyedContainer()
            let path = try parts.decode(String.self)
            write = Write(
                path: Universe.path(path),
                value: try parts.decodeIfPresent(ModelValue.self)?.value ?? .null)
        }
    }

    /// A written tree, in which `{"+": delta}` is an increment.
    private struct ModelValue: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            let single = try decoder.singleValueContainer()
            if let number = ModelValue.number(in: single) {
                value = number.value
            } else if let text = try? single.decode(String.self) {
                value = .string(text)
            } else if let delta = try? single.decode([String: Double].self), delta.count == 1,
                let number = delta["+"]
            {
                value = .deferred(.increment(.double(number)))
            } else {
                let children = try single.decode([String: ModelValue].self)
                value = Universe.object(children.mapValues(\.value))
            }
        }

        private static func number(in container: any SingleValueDecodingContainer) -> Number? {
            if let whole = try? container.decode(Int64.self) { return .integer(whole) }
            return (try? container.decode(Double.self)).map { .double($0) }
        }
    }

    private static let python = URL(fileURLWithPath: "/usr/bin/python3")
    private static let model = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("Sources/Convergence/convergence_model.py")

    private static func run(_ arguments: String...) throws -> (status: Int32, output: Data) {
        let process = Process()
        process.executableURL = python
        process.arguments = [model.path] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, data)
    }

    static let hasPython = FileManager.default.isExecutableFile(atPath: python.path)

    @Test(.enabled(if: hasPython, "python3 is not installed"))
    func `the tree agrees with the model in random cases`() throws {
        let (status, output) = try Self.run("vectors", "3000", "1")
        #expect(status == 0)
        let cases = output.split(separator: UInt8(ascii: "\n"))
        #expect(cases.count == 3000)
        for line in cases {
            var tree = ConvergentTree()
            for arrival in try JSONDecoder().decode([Arrival].self, from: line) {
                _ = tree.apply(arrival.operation)
                #expect(tree.value == arrival.shown, "\(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    @Test(.enabled(if: hasPython, "python3 is not installed"))
    func `the model agrees with its own definition in the corner cases`() throws {
        #expect(try Self.run("cases").status == 0)
    }
}
