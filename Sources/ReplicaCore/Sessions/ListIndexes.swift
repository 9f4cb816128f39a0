import DataTree
import QueryEngine
import Rules

// The indexes that queries need: built for the first query, kept while they are used, in bounded
// memory. Those that the configuration names stay.

extension Listens {
    /// The costs of indexes, and their limits.
    struct IndexBudget: Sendable {
        /// The memory limit of all indexes together.
        let byteLimit: Int
        /// A list this short is read faster than an index of it is maintained.
        let smallList: Int
        /// An index that no query has needed for this long is dropped.
        let idleMilliseconds: UInt64
        /// Approximately the memory of an index for each child.
        static let bytesPerChild = 77

        init(_ configuration: ReplicaConfiguration) {
            byteLimit = configuration.indexByteLimit
            smallList = configuration.limits.unindexedChildren
            idleMilliseconds = configuration.limits.idleIndexMilliseconds
        }
    }

    /// The children in a query's window, ascending by key.
    ///
    /// - Throws: `DataError` if it needs an index for which there is no room.
    /// - Complexity: O(log n) for each child shown, and O(n log n) for the first query by an order.
    mutating func results(
        of query: Query, at path: Path, in tree: Value, at milliseconds: UInt64
    ) throws(DataError) -> ShownChildren {
        let value = tree[path]
        let children = value.children
        if query.order == .key || children.count <= budget.smallList {
            let index = Index(by: query.order, of: children)
            return query.shown(in: OrderedList(value, by: index))
        }
        let number = list(at: path, at: milliseconds)
        try makeRoom(for: query.order, in: number, of: children)
        return lists[number]!.results(of: query, over: value)
    }

    /// The children that a listen with a query shows, ascending by key.
    mutating func shown(
        by listen: Listen, in tree: Value, at milliseconds: UInt64
    ) -> ShownChildren {
        let number = list(at: listen.path, at: milliseconds)
        return lists[number]!.results(of: listen.query, over: tree[listen.path])
    }

    /// The orders whose indexes stay at a location, by the configuration and by the `.indexOn` of the rules.
    func namedOrders(at path: Path) -> [ChildOrder] {
        let declared = ruleset?.indexes(at: path).compactMap { try? IndexRules.order(named: $0) }
        return indexRules.orders(at: path) + (declared ?? [])
    }

    /// Has other rules say which indexes stay; none is built before a query needs it, as that takes its time.
    mutating func nameIndexes(by ruleset: Ruleset?) {
        self.ruleset = ruleset
        for number in lists.keys.sorted() {
            lists[number]!.name(namedOrders(at: lists[number]!.path))
        }
    }

    /// Whether a query has an order of which nobody has said that it is indexed. As in Firebase, it may show all children.
    func lacksIndex(for query: Query, at path: Path) -> Bool {
        switch query.order {
        case .key, .priority: false
        case .value, .child: !namedOrders(at: path).contains(query.order)
        }
    }

    /// Builds the indexes that the configuration and the rules name without a wildcard, as far as there is room.
    mutating func buildNamedIndexes(in tree: Value, at milliseconds: UInt64) {
        for path in indexRules.paths + (ruleset?.indexedPaths ?? []) {
            let value = tree[path]
            for order in namedOrders(at: path) {
                let number = list(at: path, at: milliseconds)
                do throws(DataError) {
                    try makeRoom(for: order, in: number, of: value.children)
                    lists[number]!.buildIndex(by: order, over: value)
                } catch {
                    // There is no room; queries by this order will report it.
                    dropIfEmpty(number)
                }
            }
        }
    }

    /// Drops the indexes that were idle for long, and more if indexes exceed their limit.
    mutating func dropIdleIndexes(at milliseconds: UInt64) {
        if lists.isEmpty { return }
        for number in listsByUse {
            let used = lists[number]?.usedMilliseconds ?? 0
            let isIdle = milliseconds > used + budget.idleMilliseconds
            guard isIdle || indexBytes > budget.byteLimit else { return }
            lists[number]?.dropUnusedIndexes()
            dropIfEmpty(number)
        }
    }

    /// The memory of all indexes.
    var indexBytes: Int {
        lists.values.reduce(0) { sum, list in
            list.indexes.reduce(sum) { $0 + $1.placeCount * IndexBudget.bytesPerChild }
        }
    }

    private func canBuild(_ bytes: Int) -> Bool { indexBytes + bytes <= budget.byteLimit }

    /// Makes room for an index by an order, if there is none yet.
    mutating func makeRoom(
        for order: ChildOrder, in number: Int, of children: Children
    ) throws(DataError) {
        guard order != .key, children.count > budget.smallList, let list = lists[number],
            !list.hasIndex(by: order)
        else { return }
        let bytes = children.count * IndexBudget.bytesPerChild
        if canBuild(bytes) { return }
        for other in listsByUse where other != number {
            lists[other]?.dropUnusedIndexes()
            dropIfEmpty(other)
            if canBuild(bytes) { return }
        }
        dropIfEmpty(number)
        throw DataError(
            problem: "the index by \(order.name) of \(list.path) needs \(bytes.megabytes) MB, and "
                + "\(indexBytes.megabytes) of \(budget.byteLimit.megabytes) MB are in use",
            fix: "raise \"indexMegabytes\" in the configuration, or end listens by other orders")
    }

    /// The lists, least recently used first.
    private var listsByUse: [Int] {
        lists.map { (used: $0.value.usedMilliseconds, number: $0.key) }.sorted(by: <)
            .map(\.number)
    }
}

extension RequestFailure {
    /// The failure of a read whose order nobody has said to be indexed, in Firebase's words.
    static func unindexed(_ order: ChildOrder, of path: Path) -> RequestFailure {
        RequestFailure(
            .invalid,
            "Index not defined, add \".indexOn\": \"\(order.name)\", for path \"\(path)\", "
                + "to the rules",
            fix: "add it, or leave \"strictIndexes\" out of the configuration")
    }
}

extension Int {
    fileprivate var megabytes: Int { (self + 1 << 20 - 1) >> 20 }
}
