import Foundation

/// The files of the package, as they are in its folder.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of all files with an extension, relative to the root, ascending; those that a build or
    /// version control made are left out.
    static func files(_ pathExtension: String, under folder: String = "") -> [String] {
        let start = root.appendingPathComponent(folder)
        let enumerator = FileManager.default.enumerator(
            at: start, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        let prefix = root.path + "/"
        return (enumerator?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == pathExtension && $0.path.hasPrefix(prefix) }
            .map { String($0.path.dropFirst(prefix.count)) }
            .sorted()
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }
}
