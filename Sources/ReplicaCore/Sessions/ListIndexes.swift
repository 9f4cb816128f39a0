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

    /// The children in a query's window, ascending by key; the index that the query needs exists.
    ///
    /// - Complexity: O(log n) for each child shown.
    mutating func results(
        of query: Query, skipping skip: Int, at path: Path, in tree: Value, at milliseconds: UInt64
    ) -> ShownChildren {
        let value = tree[path]
        let children = value.children
        if query.order == .key || children.count <= budget.smallList {
            let index = Index(by: query.order, of: children)
            return query.shown(in: OrderedList(value, by: index), skipping: skip)
        }
        countIfUnindexed(query, at: path)
        return lists[list(at: path)]!.results(
            of: query, skipping: skip, over: value, at: milliseconds)
    }

    /// The children that a listen with a query shows, ascending by key; nil if it has no index: then it is refreshed later.
    mutating func shown(
        by listen: Listen, in tree: Value, at milliseconds: UInt64
    ) -> ShownChildren? {
        let number = list(at: listen.path)
        if missingIndex(for: listen.query, at: listen.path, in: tree) != nil {
            lists[number]!.markStale(listen.query.order)
            requestBuild(ListIndex(path: listen.path, order: listen.query.order))
            return nil
        }
        return lists[number]!.results(
            of: listen.query, over: tree[listen.path], at: milliseconds)
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

    /// Whether neither configuration nor rules declare an index for the order of a query. As in Firebase, it may
    /// show all children.
    func lacksIndex(for query: Query, at path: Path) -> Bool {
        switch query.order {
        case .key, .priority: false
        case .value, .child: !namedOrders(at: path).contains(query.order)
        }
    }

    /// Begins to build the indexes that the configuration and the rules name without a wildcard.
    mutating func buildNamedIndexes(in tree: Value) {
        for path in indexRules.paths + (ruleset?.indexedPaths ?? [])
        where tree[path].children.count > budget.smallList {
            for order in namedOrders(at: path) {
                requestBuild(ListIndex(path: path, order: order))
            }
        }
    }
}

// MARK: - Memory

extension Listens {
    /// The memory of the declared indexes of known lists: those without a wildcard, and those that were queried.
    func declaredIndexBytes(in tree: Value) -> Int {
        let declared = indexRules.paths + (ruleset?.indexedPaths ?? []) + lists.values.map(\.path)
        var bytes = 0
        for path in Set(declared) {
            let count = tree[path].children.count
            guard count > budget.smallList else { continue }
            bytes += Set(namedOrders(at: path)).count * count * IndexBudget.bytesPerChild
        }
        return bytes
    }

    /// Drops the indexes that were idle for long, and more if indexes exceed their limit.
    mutating func dropIdleIndexes(at milliseconds: UInt64) {
        if lists.isEmpty { return }
        for unused in unusedIndexes {
            let isIdle = milliseconds > unused.usedMilliseconds + budget.idleMilliseconds
            guard isIdle || indexBytes > budget.byteLimit else { return }
            drop(unused)
        }
    }

    /// The memory of all indexes, and what is reserved for those that are being built.
    var indexBytes: Int {
        lists.values.reduce(builds.reservedBytes) { sum, list in
            list.views.indexes.reduce(sum) { $0 + $1.placeCount * IndexBudget.bytesPerChild }
        }
    }

    /// Drops unused indexes until there is room for another one; drops none if they do not make enough.
    mutating func makeRoom(for bytes: Int) -> Bool {
        let unused = unusedIndexes
        var excess = indexBytes + bytes - budget.byteLimit
        let idleBytes = unused.reduce(0) { $0 + $1.bytes }
        guard excess <= idleBytes else { return false }
        for index in unused where excess > 0 {
            drop(index)
            excess -= index.bytes
        }
        return true
    }

    private struct UnusedIndex {
        let list: Int
        let order: ChildOrder
        let usedMilliseconds: UInt64
        let bytes: Int
    }

    /// The indexes without listeners and without a name, least recently used first.
    private var unusedIndexes: [UnusedIndex] {
        var unused: [UnusedIndex] = []
        for number in lists.keys.sorted() {
            for index in lists[number]!.views.unusedIndexes {
                unused.append(
                    UnusedIndex(
                        list: number, order: index.order, usedMilliseconds: index.usedMilliseconds,
                        bytes: index.placeCount * IndexBudget.bytesPerChild))
            }
        }
        return unused.sorted {
            ($0.usedMilliseconds, $0.list, $0.order.name)
                < ($1.usedMilliseconds, $1.list, $1.order.name)
        }
    }

    private mutating func drop(_ index: UnusedIndex) {
        lists[index.list]?.dropIndex(by: index.order)
        dropIfEmpty(index.list)
    }
}

extension RequestFailure {
    /// The failure of a read whose order has no declared index, in Firebase's words.
    static func unindexed(_ order: ChildOrder, of path: Path) -> RequestFailure {
        RequestFailure(
            .invalid,
            "Index not defined, add \".indexOn\": \"\(order.name)\", for path \"\(path)\", "
                + "to the rules",
            fix: "add it, or leave \"strictIndexes\" out of the configuration")
    }
}
