import Foundation
import Testing

@testable import Hearth

/// The program in `Fixtures/FirebaseSamples`, which is written as for Firebase and is no part of this package.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SamplesTests {
    /// The lines that the program prints, in any order.
    private static let expected: Set<String> = [
        "added first", "removed first", "listed [\"first\"]", "listed []", "gone true",
        "scored x 3.0",
        "present 1", "near true", "saved phone", "read Ada", "nobody is NSNull: true",
        "starred true 2", "waited c 2", "committed true",
    ]

    private static let modules = [
        "Hearth", "ClientConnection", "ClientCore", "SyncProtocol", "QueryEngine", "DataTree",
        "JSONText", "Threads", "CLibrary",
        "EventLoop", "HTTPText", "TLS", "Sockets", "ZeroMQ", "Storage", "Marks", "CEventLoop",
        "COpenSSL", "CSimdjson", "CMarks",
    ]

    private let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
    private let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/FirebaseSamples/Sources/FirebaseSamples")

    /// The folder of this package.
    private var root: String { sources.path.components(separatedBy: "/Tests/HearthTests/")[0] }

    @Test(arguments: ["5", "6"])
    func `a program that was written for Firebase compiles and runs`(mode: String) throws {
        let program = FileManager.default.temporaryDirectory
            .appendingPathComponent("samples-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: program) }
        try compile(Self.swiftFiles(in: sources), in: mode, to: program)

        let node = try TestNode()
        let lines = try run(program, at: node.url)
        #expect(SamplesTests.expected.subtracting(lines) == [])
    }

    @Test(
        arguments: [
            "README.md", "Sources/Hearth/Hearth.docc/Hearth.md",
            "Sources/Hearth/Hearth.docc/OfflineWork.md",
        ], ["5", "6"])
    func `the example compiles at the top level of a program, without a warning`(
        page: String, mode: String
    ) throws {
        let text = try String(contentsOfFile: root + "/" + page, encoding: .utf8)
        let example = try #require(
            text.components(separatedBy: "```").first { $0.hasPrefix("swift\n") })
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("main.swift")
        try Data(example.dropFirst("swift\n".count).utf8).write(to: file)
        try compile(
            [file], in: mode, to: folder.appendingPathComponent("example"),
            options: ["-warnings-as-errors"])
    }

    private static func swiftFiles(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
    }

    /// Compiles with this language mode against the modules that were built for the tests.
    private func compile(
        _ sources: [URL], in mode: String, to program: URL, options: [String] = []
    ) throws {
        let objects = try SamplesTests.modules.flatMap(objects)
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments =
            ["swiftc", "-swift-version", mode, "-module-name", "FirebaseSamples"]
            + ["-I", products.appendingPathComponent("Modules").path] + moduleMaps
            + options + sources.map(\.path) + objects
            + ["zmq", "sqlite3", "event", "simdjson", "ssl", "crypto", "stdc++", "m"].map {
                "-l" + $0
            }
            + ["-o", program.path]
        let pipe = Pipe()
        compiler.standardOutput = pipe
        compiler.standardError = pipe
        try compiler.run()
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        compiler.waitUntilExit()
        try #require(
            compiler.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
    }

    /// The object files of a module. Those of sources that are gone stay in a folder in which was built before.
    private func objects(of module: String) throws -> [String] {
        let sources = try FileManager.default.subpathsOfDirectory(
            atPath: "\(root)/Sources/\(module)")
        let names = Set(sources.map { ($0 as NSString).lastPathComponent })
        let folder = products.appendingPathComponent(module + ".build")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter {
                $0.hasSuffix(".o")
                    && names.contains(String(($0 as NSString).lastPathComponent.dropLast(2)))
            }
            .map { folder.appendingPathComponent($0).path }
    }

    /// How the compiler finds the modules of C libraries.
    private var moduleMaps: [String] {
        let generated = ["CEventLoop", "COpenSSL", "CSimdjson", "CMarks"].map {
            products.appendingPathComponent($0 + ".build/module.modulemap").path
        }
        let own = ["CZeroMQ", "CSQLite"].map {
            "\(root)/Sources/\($0)/module.modulemap"
        }
        return (generated + own).flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// Runs the program until it has said all that is expected, or for a minute.
    private func run(_ program: URL, at url: String) throws -> Set<String> {
        let process = Process()
        process.executableURL = program
        process.environment = ProcessInfo.processInfo.environment
            .merging(["HEARTH_NODES": url]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        // A program that says less than that is ended, so that reading ends.
        let limit = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: limit)
        defer {
            limit.cancel()
            process.terminate()
            process.waitUntilExit()
        }
        var lines: Set<String> = []
        var rest = Data()
        while !lines.isSuperset(of: SamplesTests.expected) {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.insert(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
        return lines
    }
}
