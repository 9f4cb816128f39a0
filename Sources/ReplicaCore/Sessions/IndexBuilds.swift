import DataTree
import QueryEngine
import SyncProtocol

/// The index of a list by an order.
struct ListIndex: Hashable, Comparable, Sendable {
    let path: Path
    let order: ChildOrder

    static func < (a: ListIndex, b: ListIndex) -> Bool {
        (a.path, a.order.name) < (b.path, b.order.name)
    }
}

/// The indexes in the making, and those for which there is no room.
struct IndexBuilds: Sendable {
    /// The indexes that are being built.
    fileprivate(set) var begun: Set<ListIndex> = []
    /// The memory that is reserved for them.
    fileprivate(set) var reserved: [ListIndex: Int] = [:]
    /// The one index that there is no room to keep: it is dropped as soon as no request waits for it.
    fileprivate(set) var transient: ListIndex?
    /// The indexes that no request waits for, in order: those with a name, and those of listens that have missed operations.
    fileprivate(set) var unrequested: [ListIndex] = []
    /// The indexes of listens that there was no room to keep.
    fileprivate(set) var lacking: Set<ListIndex> = []
    /// How many reads and listens were served without an index that stays.
    fileprivate(set) var unindexedQueries: UInt64 = 0

    var reservedBytes: Int { reserved.values.reduce(0, +) }
    /// Whether there is no index in the making, and none that will be dropped.
    var isEmpty: Bool { begun.isEmpty && transient == nil }

    /// Whether an index may take memory.
    fileprivate func hasRoom(for index: ListIndex) -> Bool {
        reserved[index] != nil || transient == index
    }

    /// Removes a build that is complete or abandoned.
    fileprivate mutating func end(_ index: ListIndex) {
        begun.remove(index)
        reserved[index] = nil
    }
}

// MARK: - Slices

extension Listens {
    /// The work of a build that counts as one unit of a turn.
    private static let workOfUnit = 8
    /// How many indexes of one list stay without listeners and without a name.
    private static let unusedLimit = 16

    /// The index that a query needs, and that does not exist yet.
    ///
    /// A short list is read faster than an index of it is maintained.
    func missingIndex(for query: Query, at path: Path, in tree: Value) -> ListIndex? {
        if query.order == .key { return nil }
        let views = number(at: path).flatMap { lists[$0]?.views }
        if views?.hasIndex(by: query.order) ?? false { return nil }
        let isShort = tree[path].children.count <= budget.smallList
        if isShort, !(views?.hasViews(by: query.order) ?? false) { return nil }
        return ListIndex(path: path, order: query.order)
    }

    /// Whether an index exists.
    func hasIndex(_ index: ListIndex) -> Bool {
        views(at: index.path)?.hasIndex(by: index.order) ?? false
    }

    private func views(at path: Path) -> SharedViews? {
        number(at: path).flatMap { lists[$0]?.views }
    }

    /// Builds a slice of an index.
    ///
    /// Without room, one index at a time is built nevertheless, and dropped once the requests are served that wait for it.
    ///
    /// - Returns: The units that the slice has used; nil if the build goes on only after another one.
    mutating func build(
        _ index: ListIndex, in tree: Value, spending units: Int, at milliseconds: UInt64
    ) -> Int? {
        let value = tree[index.path]
        let number = list(at: index.path)
        builds.begun.insert(index)
        var work = 0
        var hasRoom = builds.hasRoom(for: index)
        while true {
            let step = lists[number]!.buildIndex(
                by: index.order, over: value, spending: units * Listens.workOfUnit - work,
                hasRoom: hasRoom, at: milliseconds)
            work += step.work
            switch step.progress {
            case .complete: finishBuild(of: index, over: value, in: number)
            case .awaitsRoom where !hasRoom:
                hasRoom = reserveRoom(for: index, of: value.children.count)
                if hasRoom { continue }
                return nil
            case .awaitsRoom, .unfinished: break
            }
            return max(1, work / Listens.workOfUnit)
        }
    }

    private mutating func finishBuild(of index: ListIndex, over value: Value, in number: Int) {
        builds.end(index)
        if builds.transient != index { builds.lacking.remove(index) }
        refreshed += lists[number]!.refresh(by: index.order, over: value)
        // Each operation updates all indexes, also those of invented orders, which take no memory.
        let unused = lists[number]!.views.unusedIndexes
        guard unused.count > Listens.unusedLimit else { return }
        let oldest = unused.min {
            ($0.usedMilliseconds, $0.order.name) < ($1.usedMilliseconds, $1.order.name)
        }
        if let oldest, oldest.order != index.order { lists[number]!.dropIndex(by: oldest.order) }
    }

    /// Makes room for an index, or has it built to be dropped again; false if neither is possible.
    private mutating func reserveRoom(for index: ListIndex, of count: Int) -> Bool {
        let bytes = count * IndexBudget.bytesPerChild
        if makeRoom(for: bytes) {
            builds.reserved[index] = bytes
        } else if builds.transient == nil {
            builds.transient = index
        } else {
            return false
        }
        return true
    }

    /// Counts a query that is served from an index which will be dropped.
    mutating func countIfUnindexed(_ query: Query, at path: Path) {
        guard let transient = builds.transient,
            transient == ListIndex(path: path, order: query.order)
        else { return }
        builds.unindexedQueries += 1
    }
}

// MARK: - Builds without requests

extension Listens {
    /// Whether an index is to be built that no request waits for.
    var hasUnrequestedBuilds: Bool { !builds.unrequested.isEmpty }

    /// Has an index built that no request waits for.
    mutating func requestBuild(_ index: ListIndex) {
        if !hasIndex(index), !builds.unrequested.contains(index) {
            builds.unrequested.append(index)
        }
    }

    /// Builds a slice of the first index that no request waits for.
    ///
    /// - Returns: The units that it has used.
    mutating func buildUnrequested(
        in tree: Value, spending units: Int, at milliseconds: UInt64
    ) -> Int {
        guard let index = builds.unrequested.first else { return 0 }
        let used = build(index, in: tree, spending: units, at: milliseconds)
        if used != nil, !hasIndex(index) { return used ?? 0 }
        builds.unrequested.removeFirst()
        // Without room an index that is only named is left to the first query, and listens wait for the present build.
        let hasViews = views(at: index.path)?.hasViews(by: index.order) ?? false
        if used == nil, hasViews { builds.unrequested.append(index) }
        return used ?? 0
    }

    /// Has the listens refreshed whose queries have no index, after an operation at their location.
    mutating func refreshUnindexed(at path: Path) {
        for index in builds.lacking.sorted() where index.path == path {
            if views(at: path)?.hasViews(by: index.order) ?? false {
                requestBuild(index)
            } else {
                builds.lacking.remove(index)
            }
        }
    }

    /// Removes and returns what listens are sent that had missed operations.
    mutating func takeRefreshed() -> [Notice] {
        if refreshed.isEmpty { return [] }
        defer { refreshed = [] }
        return refreshed
    }

    /// Abandons the builds that nothing waits for, and drops an unneeded index that lacks room.
    mutating func dropUnneededBuilds(requested: Set<ListIndex>) {
        if builds.isEmpty { return }
        let needed = requested.union(builds.unrequested)
        for index in builds.begun.sorted() where !needed.contains(index) {
            builds.end(index)
            if builds.transient == index { builds.transient = nil }
            change(index) { $0.abandonBuild(by: index.order) }
        }
        guard let transient = builds.transient, !needed.contains(transient) else { return }
        builds.transient = nil
        change(transient) { $0.dropIndex(by: transient.order) }
        if views(at: transient.path)?.hasViews(by: transient.order) ?? false {
            builds.lacking.insert(transient)
        }
    }

    private mutating func change(_ index: ListIndex, _ body: (inout QueriedList) -> Void) {
        guard let number = number(at: index.path) else { return }
        body(&lists[number]!)
        dropIfEmpty(number)
    }
}

// MARK: - Slices of a turn

extension Sessions {
    /// Builds a slice of an index; returns whether the index exists now.
    mutating func build(
        _ index: ListIndex, spending units: Int, seeing replica: ReplicationView
    ) -> Bool {
        let used = listens.build(
            index, in: replica.tree, spending: units, at: replica.now.elapsedMilliseconds)
        shares.spend(used ?? 0)
        return listens.hasIndex(index)
    }

    /// Continues the builds that no request waits for, and drops unneeded ones.
    mutating func continueBuilds(seeing replica: ReplicationView) {
        if listens.hasUnrequestedBuilds {
            let used = listens.buildUnrequested(
                in: replica.tree, spending: shares.unitsForWaiting / 4,
                at: replica.now.elapsedMilliseconds)
            shares.spend(used)
        }
        send(listens.takeRefreshed())
        if !listens.builds.isEmpty {
            listens.dropUnneededBuilds(requested: due.missingIndexes)
        }
    }

    /// Sends a keep-alive once a second to native clients whose requests wait. Their pings wait behind a request
    /// that waits for an index, and clients leave a silent node.
    mutating func reassureWaiting(at milliseconds: UInt64) {
        guard !due.isEmpty, milliseconds >= nextReassuranceMilliseconds else { return }
        nextReassuranceMilliseconds = milliseconds + 1_000
        for session in due.ring where clients.told(session) != nil {
            sendAtOnce(.ok(id: 0), to: session)
        }
    }

    /// Has the next sign of life be sent in a second, unless requests wait already.
    mutating func delayReassurance(at milliseconds: UInt64) {
        if due.isEmpty { nextReassuranceMilliseconds = milliseconds + 1_000 }
    }

    /// Has requests wait for their session's share of a turn.
    mutating func awaitShare(_ work: DueRequests.Work, of session: SessionID) {
        due.append(.init(work, by: access.principal(of: session)), of: session)
    }
}
