import Foundation

/// Is an empty folder that goes away with what it holds.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "hearth-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        let file = file(name)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }
}
