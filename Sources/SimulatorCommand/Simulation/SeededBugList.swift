internal import CommandLineKit
internal import FoundationEssentials

/// A seeded bug as its file describes it.
struct SeededBug: Equatable {
    /// A scenario and the check by which it finds the bug.
    struct Finder: Equatable {
        var scenario: String
        var check: String
    }

    var name: String
    /// The module that the bug changes: the folder of its file.
    var module: String
    var summary = ""
    var finders: [Finder] = []

    /// Reads the lines before the first change.
    init(name: String, module: String, text: String) {
        self.name = name
        self.module = module
        for line in text.split(separator: "\n") {
            if line.hasPrefix("--- ") { break }
            if line.hasPrefix("Summary: ") { summary = String(line.dropFirst(9)) }
            guard line.hasPrefix("Found by: ") else { continue }
            let words = line.dropFirst(10).split(separator: " ").map(String.init)
            if words.count > 1 { finders.append(Finder(scenario: words[0], check: words[1])) }
        }
    }
}

/// The seeded bugs of a library of scenarios.
struct SeededBugList {
    /// Their folder, beside the folders of the scenarios.
    private static let folder = "seeded-bugs"

    /// In the order of modules and names.
    private(set) var bugs: [SeededBug] = []
    private var read: Set<String> = []

    /// Reads the bugs beside scenarios, or beside the folders that contain them.
    init(beside files: [ScenarioFiles.File]) {
        for file in files {
            let folder = SeededBugList.parent(of: file.path)
            for library in [folder, SeededBugList.parent(of: folder)] { add(below: library) }
        }
    }

    /// The bugs that a scenario finds.
    func found(by scenario: String) -> [SeededBug] {
        bugs.filter { bug in bug.finders.contains { $0.scenario == scenario } }
    }

    /// The modules that have bugs.
    var modules: [String] { Set(bugs.map(\.module)).sorted() }

    private mutating func add(below library: String) {
        guard read.insert(library).inserted else { return }
        let folder = library + SeededBugList.folder + "/"
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        for path in paths.sorted() where path.hasSuffix(".bug") {
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count == 2, let text = readFile(folder + path) else { continue }
            bugs.append(
                SeededBug(
                    name: String(parts[1].dropLast(4)), module: parts[0],
                    text: String(decoding: text, as: UTF8.self)))
        }
    }

    /// The folder of a path, with a slash at its end; empty for the current folder.
    private static func parent(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = path.hasSuffix("/") ? parts.dropLast(2) : parts.dropLast()
        return folder.isEmpty ? "" : folder.joined(separator: "/") + "/"
    }
}
