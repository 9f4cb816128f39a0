public import DataTree

/// A document of rules, compiled: who may read and write what, and what written data looks like.
///
/// It is immutable, and judges without a clock, a random number or any state of its own: equal operations in equal
/// situations get equal verdicts on every node.
public final class Ruleset: Sendable {
    /// A level of the document: the rules of the places that its keys lead to.
    struct Node: Sendable {
        /// The levels that lead here, the root first and this one last.
        let way: [Int]
        /// The key that leads here from the level above; nil at the root and where a wildcard stands for it.
        let key: Key?
        /// The levels below, by the keys that lead there.
        var literals = SortedMap<Int>()
        /// The level for all other keys.
        var wildcard: Int?
        var read: Int?
        var write: Int?
        var validate: Int?
        var indexes: [String] = []
        /// Those of the levels in `literals` that have a `.validate`, or one below them, in the order of their keys.
        var validated: [Int] = []
        /// Whether a level below has a `.validate`.
        var validatesBelow = false

        /// Whether the level, or one below, has a `.validate`.
        var validates: Bool { validate != nil || validatesBelow }

        /// The rule of a kind.
        func rule(_ kind: RuleKind) -> Int? {
            switch kind {
            case .read: read
            case .write: write
            case .validate: validate
            }
        }
    }

    /// The levels, the root first.
    let nodes: [Node]
    /// All rules, in the order of the document.
    public let rules: [Rule]
    /// What is legal and hardly meant, in the order of the document.
    public let warnings: [RuleWarning]

    /// Compiles a document.
    ///
    /// - Throws: All its faults.
    public init(_ document: [UInt8]) throws(RulesetError) {
        var compiler = RulesetCompiler(document)
        try compiler.compile()
        nodes = compiler.nodes
        rules = compiler.rules
        warnings = RuleReview(compiler).warnings(of: document)
    }

    /// The places with indexes to which no wildcard leads, ascending.
    public var indexedPaths: [Path] {
        var paths: [Path] = []
        var open = [(level: 0, path: Path.root)]
        while let (level, path) = open.popLast() {
            if !nodes[level].indexes.isEmpty { paths.append(path) }
            for (key, next) in nodes[level].literals { open.append((next, path.appending(key))) }
        }
        return paths.sorted()
    }

    /// The paths below each child, or `.value`, by which the children of a place are indexed.
    public func indexes(at path: Path) -> [String] {
        var level = 0
        for key in path.keys {
            guard let next = nodes[level].literals[key] ?? nodes[level].wildcard else { return [] }
            level = next
        }
        return nodes[level].indexes
    }
}
