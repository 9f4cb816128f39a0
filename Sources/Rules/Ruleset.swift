public import DataTree

/// A compiled document of rules, which decides which users may read and write which data.
///
/// It is immutable, and judges without a clock, a random number or any state of its own: equal operations in equal
/// situations get equal verdicts on every node.
public final class Ruleset: Sendable {
    /// The levels, the root first.
    let levels: [RuleLevel]
    /// All rules, in the order of the document.
    public let rules: [Rule]
    /// The warnings about legal but unlikely rules, in the order of the document.
    public let warnings: [RuleWarning]

    /// Compiles a document.
    ///
    /// - Throws: All its faults.
    public init(_ document: [UInt8]) throws(RulesetError) {
        var compiler = RulesetCompiler(document)
        try compiler.compile()
        levels = compiler.levels
        rules = compiler.rules
        warnings = RuleReview(compiler).warnings(of: document)
    }

    /// The places with indexes to which no wildcard leads, ascending.
    public var indexedPaths: [Path] {
        var paths: [Path] = []
        var open = [(level: 0, path: Path.root)]
        while let (level, path) = open.popLast() {
            if !levels[level].indexes.isEmpty { paths.append(path) }
            for (key, next) in levels[level].literals { open.append((next, path.appending(key))) }
        }
        return paths.sorted()
    }

    /// The paths below each child, or `.value`, by which the children of a place are indexed.
    public func indexes(at path: Path) -> [String] {
        var level = 0
        for key in path.keys {
            guard let next = levels[level].literals[key] ?? levels[level].wildcard else {
                return []
            }
            level = next
        }
        return levels[level].indexes
    }
}
