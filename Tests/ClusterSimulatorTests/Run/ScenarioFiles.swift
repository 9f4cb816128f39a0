import ClusterSimulator
import Foundation

/// The scenario files of the package.
enum ScenarioFiles {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Simulations")

    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".scenario") }.map { String($0.dropLast(9)) }.sorted()
    }()

    static func scenario(_ name: String) throws -> Scenario {
        let file = folder.appendingPathComponent(name + ".scenario")
        return try Scenario(parsing: Array(Data(contentsOf: file)), name: name, file: bytes)
    }

    /// The file that a scenario names; nil if there is none.
    static func bytes(of path: String) -> [UInt8]? {
        (try? Data(contentsOf: folder.appendingPathComponent(path))).map { Array($0) }
    }
}
