import Foundation
import TLS
import Testing

/// A server and a client, and the wire between them.
final class Pair {
    let server: TLSFilter
    let client: TLSFilter
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []

    init(_ server: TLSFilter, _ client: TLSFilter) {
        self.server = server
        self.client = client
    }

    /// Carries what waits, in pieces, until neither end says anything.
    func exchange(pieces: Int = 1 << 20) {
        while true {
            let (up, down) = (client.takeOutgoing(), server.takeOutgoing())
            if up.isEmpty && down.isEmpty { return }
            for start in stride(from: 0, to: up.count, by: pieces) {
                atServer += server.receive(Array(up[start..<min(start + pieces, up.count)]))
            }
            for start in stride(from: 0, to: down.count, by: pieces) {
                atClient += client.receive(Array(down[start..<min(start + pieces, down.count)]))
            }
        }
    }
}

/// The files of a server, in a folder that goes with them.
final class Files {
    let folder: URL
    let certificate: Certificate

    init() throws {
        certificate = Certificate(hosts: ["db.test", "10.1.2.3", "::1"])
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("certificate.pem", certificate.certificate)
        try write("key.pem", certificate.key)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func server(certificate: String = "certificate.pem", key: String = "key.pem") throws
        -> TLSContext
    {
        try TLSContext.server(certificate: path(certificate), key: path(key))
    }
}

/// Runs `openssl`, and returns what it prints.
@discardableResult
func openSSL(_ arguments: String...) throws -> String { try openSSL(arguments) }

@discardableResult
func openSSL(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
}

/// The TLS of another program, which offers protocols of its own.
final class PythonClient {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init(offering protocols: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/client.py")
        process.arguments = [script.path] + protocols
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Carries bytes until the program has ended; returns what it said.
    func talk(to server: TLSFilter) throws -> [UInt8] {
        var said: [UInt8] = []
        while true {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { return said }
            said += server.receive(Array(bytes))
            let answer = server.takeOutgoing()
            if server.state != .open { try input.fileHandleForWriting.write(contentsOf: answer) }
        }
    }
}

/// A server's certificate, signed by one that is signed by an authority.
struct Chain {
    let authority: String
    let leaf: String
    let key: String
    /// The server's certificate, and the one that leads to the authority.
    let whole: String

    init(in files: Files) throws {
        authority = files.path("root.pem")
        leaf = files.path("leaf.pem")
        key = files.path("leaf.key")
        whole = files.path("whole.pem")
        try Chain.make("root", in: files, signedBy: nil, isAuthority: true)
        try Chain.make("middle", in: files, signedBy: "root", isAuthority: true)
        try Chain.make("leaf", in: files, signedBy: "middle", isAuthority: false)
        let parts = try [leaf, files.path("middle.pem")].map {
            try String(contentsOfFile: $0, encoding: .utf8)
        }
        try files.write("whole.pem", parts.joined())
    }

    private static func make(
        _ name: String, in files: Files, signedBy signer: String?, isAuthority: Bool
    ) throws {
        var arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", files.path(name + ".key"), "-out", files.path(name + ".pem"), "-days", "9",
            "-subj", "/CN=" + name, "-addext", "subjectAltName=DNS:\(name).test", "-addext",
            "basicConstraints=critical,CA:" + (isAuthority ? "TRUE" : "FALSE"),
        ]
        if let signer {
            arguments += [
                "-CA", files.path(signer + ".pem"), "-CAkey", files.path(signer + ".key"),
            ]
        }
        try openSSL(arguments)
    }
}
