public import DataTree

/// What the rules of one level look at of the tree after a write.
struct NewDataUse: Sendable {
    /// Whether a rule of the level looks at its own place, whatever of it is written.
    var ofPlace = false
    /// Whether a rule of the level, or of one below, looks above its own place.
    var above = false

    init() {}

    /// The use by the rules of a level, those below aside.
    init(_ level: Ruleset.Node, among rules: [Rule]) {
        let written = [level.write, level.validate].compactMap { $0 }.map { rules[$0].expression }
        // A `.validate` is skipped where nothing is left, which is a look too.
        ofPlace = level.validate != nil || written.contains(where: \.usesNewData)
        above = written.contains { $0.usesNewData && $0.looksAbove }
    }

    /// The uses of all levels, each with those below.
    static func all(of levels: [Ruleset.Node], among rules: [Rule]) -> [NewDataUse] {
        var uses = levels.map { NewDataUse($0, among: rules) }
        // Levels stand behind those above them.
        for level in levels.indices.reversed() {
            let below =
                levels[level].literals.map(\.value) + [levels[level].wildcard].compactMap { $0 }
            if below.contains(where: { uses[$0].above }) { uses[level].above = true }
        }
        return uses
    }
}

extension Expression {
    fileprivate var usesNewData: Bool {
        nodes.contains { if case .variable(.newData) = $0.kind { true } else { false } }
    }

    fileprivate var looksAbove: Bool {
        nodes.contains { if case .snapshotMethod(.parent, _, _) = $0.kind { true } else { false } }
    }
}

extension Ruleset {
    /// Whether all rules that judge a write see no more of the tree afterwards than what it writes at these places: then
    /// `RuleSituation.after` needs nothing else.
    public func judgesWrittenAlone(_ paths: [Path]) -> Bool { paths.allSatisfy(judgesWrittenAlone) }

    private func judgesWrittenAlone(_ path: Path) -> Bool {
        if path.last == .priority { return false }
        var level = 0
        for key in path.keys {
            if newDataUses[level].ofPlace { return false }
            guard let next = nodes[level].literals[key] ?? nodes[level].wildcard else {
                return true
            }
            level = next
        }
        return !newDataUses[level].above
    }
}
