import Foundation

/// The requests that another parser finds in the bytes of a connection.
struct Opinion: Equatable {
    /// The requests that were complete, each as `METHOD TARGET BODY`.
    var requests: [[UInt8]]
    /// Whether the bytes are wrong, or come after the end: nothing more is read.
    var isOver: Bool
}

/// Another parser of requests, which runs as a program.
struct Oracle {
    private let program: URL
    private let arguments: [String]

    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    /// Debian's python3-h11.
    static let h11: Oracle? = {
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        guard (try? run(python, ["-c", "import h11"], input: [])) != nil else { return nil }
        return Oracle(
            program: python, arguments: [fixtures.appendingPathComponent("h11_requests.py").path])
    }()

    /// The sources of llhttp in Debian's node-llhttp, compiled once a run.
    static let llhttp: Oracle? = {
        let sources = ["api.c", "http.c", "llhttp.c"].map { "/usr/share/llhttp/\($0)" }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-llhttp-\(ProcessInfo.processInfo.processIdentifier)")
        let program = folder.appendingPathComponent("llhttp_requests")
        let driver = fixtures.appendingPathComponent("llhttp_requests.c").path
        guard sources.allSatisfy(FileManager.default.fileExists) else { return nil }
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            _ = try run(
                URL(fileURLWithPath: "/usr/bin/env"),
                ["cc", "-w", "-O1", "-I/usr/share/include/llhttp", "-o", program.path, driver]
                    + sources, input: [])
        } catch {
            return nil
        }
        return Oracle(program: program, arguments: [])
    }()

    /// The parser's results for several connections.
    func opinions(on connections: [[UInt8]]) throws -> [Opinion] {
        let input = connections.flatMap { bytes in
            withUnsafeBytes(of: UInt32(bytes.count).bigEndian, Array.init) + bytes
        }
        let output = try Oracle.run(program, arguments, input: input)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(
            Opinion.init(line:))
    }

    struct Failure: Error {
        let status: Int32
    }

    private static func run(_ program: URL, _ arguments: [String], input: [UInt8]) throws -> [UInt8]
    {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("hearth-oracle-\(UUID().uuidString)")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardInput = try FileHandle(forReadingFrom: file)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
        return Array(output)
    }
}

extension Opinion {
    /// Reads a line of the programs in `Fixtures`.
    init(line: Substring) {
        let words = line.split(separator: " ")
        isOver = words.contains("over")
        requests = words.filter { !["open", "over", "-"].contains($0) }.map(
            Opinion.bytes(hexadecimal:))
    }

    private static func bytes(hexadecimal text: Substring) -> [UInt8] {
        let digits = text.utf8.map { UInt8($0 > 0x39 ? $0 - 0x57 : $0 - 0x30) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
