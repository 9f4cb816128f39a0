/// JavaScript modules as one script, so that a page opens from disk without a request.
///
/// Each module becomes a function whose value has the module's exports. The modules of the console keep to what this reads: an
/// import is one line with names in braces, and an export stands before a `const`, `function` or `class` at the start of a line.
package struct ModuleBundle {
    private let source: (String) -> String?
    private var parts: [String] = []
    private var added: Set<String> = []

    /// The script of a module and of all that it imports.
    ///
    /// - Parameter source: The text of the module at a path; nil if there is none.
    package init(of path: String, source: @escaping (String) -> String?) {
        self.source = source
        add(path)
    }

    package var script: String { parts.joined(separator: "\n") }

    private mutating func add(_ path: String) {
        guard added.insert(path).inserted else { return }
        guard let text = source(path) else { preconditionFailure("no module is at \(path)") }
        var lines: [String] = []
        var exports: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let imported = Import(line, in: path) {
                add(imported.path)
                guard let names = imported.names else { continue }
                lines.append("const {\(names)} = \(ModuleBundle.variable(of: imported.path));")
            } else if line.hasPrefix("export ") {
                let declaration = line.dropFirst("export ".count)
                exports.append(ModuleBundle.name(in: declaration))
                lines.append(String(declaration))
            } else {
                lines.append(String(line))
            }
        }
        parts.append(
            "const \(ModuleBundle.variable(of: path)) = (() => {\n"
                + lines.joined(separator: "\n")
                + "\nreturn { \(exports.joined(separator: ", ")) };\n})();")
    }

    /// The name that a declaration declares.
    private static func name(in declaration: Substring) -> String {
        let words = declaration.split { " (={".contains($0) }
        let keywords = ["async", "const", "function", "class", "function*"]
        return words.first { !keywords.contains(String($0)) }.map(String.init) ?? ""
    }

    private static func variable(of path: String) -> String {
        "module_" + String(path.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// A line that imports a module.
    private struct Import {
        /// The imported names as a destructuring declares them; nil for a module that only has to run.
        var names: String?
        var path: String

        init?(_ line: Substring, in module: String) {
            guard line.hasPrefix("import {") || line.hasPrefix("import '") else { return nil }
            let words = line.split(separator: "'")
            guard words.count > 1 else { return nil }
            if let end = line.firstIndex(of: "}") {
                let start = line.index(line.startIndex, offsetBy: "import {".count)
                names = String(line[start..<end]).replacing(" as ", with: ": ")
            }
            var folders = module.split(separator: "/").dropLast().map(String.init)
            for part in words[1].split(separator: "/") where part != "." {
                if part == ".." { folders.removeLast() } else { folders.append(String(part)) }
            }
            path = folders.joined(separator: "/")
        }
    }
}
