internal import ClusterSimulator

/// A page that lists scenarios by subject and by guarantee, and the seeded bugs by module.
struct ScenarioIndex {
    private let list: ScenarioList
    /// Links are relative to this folder; with a slash at its end.
    private let folder: String

    init(_ list: ScenarioList, in folder: String) {
        self.list = list
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
    }

    /// The page as Markdown.
    var text: String {
        (introduction + subjects + guarantees + modules).joined(separator: "\n") + "\n"
    }

    private var introduction: [String] {
        [
            "# Index of scenarios", "",
            "`hearth sim list Simulations --markdown` generates this page.",
            "", "\(list.files.count) scenarios find \(list.bugs.bugs.count) seeded bugs.", "",
        ]
    }

    private var subjects: [String] {
        var lines = ["## By subject", ""]
        var subject = ""
        for file in list.files {
            let path = relative(file.path)
            let next = path.split(separator: "/").dropLast().joined(separator: "/")
            if next != subject {
                lines += subject.isEmpty ? [] : [""]
                lines += ["### \(next)", ""]
                subject = next
            }
            lines.append("- \(link(to: file)): \(file.scenario.claim)")
            var fields = list.fields(of: file.scenario)
            if !file.scenario.guarantees.isEmpty {
                fields.insert("`\(file.scenario.guaranteeList)`", at: 0)
            }
            if !fields.isEmpty { lines.append("  (\(fields.joined(separator: "; ")))") }
        }
        return lines + [""]
    }

    private var guarantees: [String] {
        let rows = Guarantee.allCases.map { guarantee in
            let files = list.files.filter { $0.scenario.guarantees.contains(guarantee) }
            let links = files.map(link).joined(separator: ", ")
            return "| \(guarantee.rawValue) | \(guarantee.title) | \(links) |"
        }
        return ["## By guarantee", "", "| ID | Guarantee | Scenarios |", "|---|---|---|"] + rows + [
            ""
        ]
    }

    private var modules: [String] {
        var lines = ["## Seeded bugs by module"]
        for module in list.bugs.modules {
            lines += ["", "### \(module)", "", "| Bug | Found by |", "|---|---|"]
            lines += list.bugs.bugs.filter { $0.module == module }.map { bug in
                let finders = bug.finders.map { "\($0.scenario): `\($0.check)`" }
                return "| \(bug.name) | \(finders.joined(separator: ", ")) |"
            }
        }
        return lines
    }

    private func link(to file: ScenarioFiles.File) -> String {
        "[\(file.scenario.name)](\(relative(file.path)))"
    }

    private func relative(_ path: String) -> String {
        path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
    }
}
