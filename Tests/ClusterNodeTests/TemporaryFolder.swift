import Foundation

/// Is an empty folder that goes away with what it holds.
final class TemporaryFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-node-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }

    func emptyFile(_ name: String) throws -> FileHandle {
        _ = try write("", to: name)
        return try FileHandle(forWritingTo: URL(fileURLWithPath: file(name)))
    }

    func text(of name: String) -> String {
        String(
            decoding: (try? Data(contentsOf: URL(fileURLWithPath: file(name)))) ?? Data(),
            as: UTF8.self)
    }
}
