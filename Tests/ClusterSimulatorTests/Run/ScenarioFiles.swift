import ClusterSimulator
import Foundation
import Testing

/// The scenario files of the package.
enum ScenarioFiles {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Simulations")

    /// All scenarios, in the order of their paths.
    static let all: [URL] = {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return paths.filter { $0.hasSuffix(".scenario") }.sorted()
            .map { folder.appendingPathComponent($0) }
    }()

    static let names = all.map(name).sorted()

    static func scenario(_ name: String) throws -> Scenario {
        try parse(Array(Data(contentsOf: file(of: name))), as: name)
    }

    /// Reads a text with the name, and from the folder, of a scenario of the package.
    static func parse(_ text: [UInt8], as name: String) throws -> Scenario {
        let folder = try file(of: name).deletingLastPathComponent()
        return try Scenario(parsing: text, name: name) { path in
            (try? Data(contentsOf: folder.appendingPathComponent(path))).map { Array($0) }
        }
    }

    private static func file(of name: String) throws -> URL {
        try #require(all.first { self.name(of: $0) == name }, "there is no scenario \(name)")
    }

    private static func name(of file: URL) -> String {
        file.deletingPathExtension().lastPathComponent
    }
}
