internal import ClusterSimulator
internal import CommandLineKit
internal import FoundationEssentials

/// The scenarios that a command names, as files or as folders full of them.
struct ScenarioFiles {
    struct File {
        /// As it would be named on the command line.
        var path: String
        var scenario: Scenario
        /// How its schedules are searched if the command says so.
        var search: SearchWay?

        /// The options with which a command line repeats the run of the scenario.
        var words: String {
            path.quotedForShell + (search.map { " --search \($0.rawValue)" } ?? "")
        }

        /// The scenario, searched as a command says, or as its file does.
        func searched(_ way: SearchWay?) -> File {
            guard let way else { return self }
            return File(path: path, scenario: scenario.searched(way), search: way)
        }
    }

    /// Reads every scenario, those of a folder and of the folders in it in the order of their paths.
    ///
    /// - Throws: when a file cannot be read or says something unknown, with its line and column.
    static func read(_ paths: [String]) throws(CommandError) -> [File] {
        var files: [File] = []
        for path in paths {
            for file in try scenarios(at: path) {
                files.append(File(path: file, scenario: try scenario(in: file)))
            }
        }
        return files
    }

    private static func scenarios(at path: String) throws(CommandError) -> [String] {
        var isFolder = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandError(
                .noInput, "there is no scenario at \(path)",
                fix: "name a .scenario file or a folder of them, such as Simulations")
        }
        guard isFolder else { return [path] }
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        let scenarios = paths.filter { $0.hasSuffix(".scenario") }.sorted()
        guard !scenarios.isEmpty else {
            throw CommandError(
                .noInput, "the folder \(path) has no scenarios",
                fix: "name a folder with .scenario files, such as Simulations")
        }
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        return scenarios.map { folder + "/" + $0 }
    }

    private static func scenario(in file: String) throws(CommandError) -> Scenario {
        guard let text = readFile(file) else {
            throw CommandError(
                .noInput, "\(file) cannot be read: \(systemErrorText)",
                fix: "check its permissions")
        }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let ending = ".scenario"
        let folder = file.dropLast(name.utf8.count)
        do throws(ScenarioError) {
            return try Scenario(
                parsing: text,
                name: name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
            ) { readFile($0.hasPrefix("/") ? $0 : folder + $0) }
        } catch {
            throw CommandError(
                .badData, "\(file):\(error.line):\(error.column): \(error.problem)", fix: error.fix)
        }
    }
}
