public import DataTree

/// Which lists have indexes that stay once they are built, from a node's configuration.
///
///     try IndexRules(["players": ["points", ".value"], "rooms/$room/messages": ["sent"]])
///
/// Keys that begin with `$` stand for any key, as in Firebase's rules.
public struct IndexRules: Equatable, Sendable {
    private struct Rule: Equatable, Sendable {
        /// The keys of the list's path; nil stands for any key.
        let keys: [Key?]
        let orders: [ChildOrder]

        func matches(_ path: Path) -> Bool {
            keys.count == path.count && zip(keys, path.keys).allSatisfy { $0 == nil || $0 == $1 }
        }
    }

    private let rules: [Rule]

    /// No rules.
    public init() { rules = [] }

    /// Parses, for each pattern of a path, the child paths to index by: `.value` is the child
    /// itself.
    ///
    /// - Throws: `DataError` for a pattern or child path that is not a path.
    public init(_ description: [String: [String]]) throws(DataError) {
        var rules: [Rule] = []
        for (pattern, children) in description.sorted(by: { $0.key < $1.key }) {
            var keys: [Key?] = []
            for segment in pattern.split(separator: "/") {
                keys.append(segment.hasPrefix("$") ? nil : try Key(String(segment)))
            }
            var orders: [ChildOrder] = []
            for child in children { orders.append(try IndexRules.order(named: child)) }
            rules.append(Rule(keys: keys, orders: orders))
        }
        self.rules = rules
    }

    /// The order by a path below each child, or by `.value`.
    package static func order(named child: String) throws(DataError) -> ChildOrder {
        var members = QueryMembers()
        members.index = child
        return try Query(members).order
    }

    /// The orders whose indexes stay at a location.
    package func orders(at path: Path) -> [ChildOrder] {
        rules.filter { $0.matches(path) }.flatMap(\.orders)
    }

    /// The locations of rules without `$`, which can be indexed before the first query.
    package var paths: [Path] {
        rules.compactMap { rule in
            let keys = rule.keys.compactMap { $0 }
            return keys.count == rule.keys.count ? Path(keys) : nil
        }
    }
}
