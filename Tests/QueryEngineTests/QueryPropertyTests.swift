import DataTree
import Foundation
import Testing

@testable import QueryEngine

/// The engine against a naive one, over random lists, queries and operations.
///
/// `HEARTH_QUERY_CASES` sets how many operations are tried, in all.
@Suite struct QueryPropertyTests {
    private static let operations =
        ProcessInfo.processInfo.environment["HEARTH_QUERY_CASES"].flatMap(Int.init) ?? 300_000
    private static let rounds = 100
    private static let parts = 30

    @Test(arguments: 0..<QueryPropertyTests.parts)
    func `random operations give the events of a naive view`(part: Int) throws {
        let seeds = Self.operations / Self.rounds / Self.parts
        for seed in part * seeds..<(part + 1) * seeds {
            if let difference = try Self.difference(seed: seed, rounds: Self.rounds) {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
    }

    @Test(arguments: WrongQuery.allCases)
    func `a wrong bound or limit is found`(wrong: WrongQuery) throws {
        let found = try (0..<2000).contains { seed in
            try Self.difference(seed: seed, rounds: 40, wrong: wrong) != nil
        }
        #expect(found, "\(wrong)")
    }

    @Test func `a read that skips children begins with the next ones from the side of the limit`()
        throws
    {
        for seed in 0..<2_000 {
            var lists = RandomLists(seed: seed)
            let query = try lists.query()
            let value = lists.list()
            let all = value.children.ordered(by: query.order)
                .filter { query.isInRange($0.key, $0.value) }.map(\.key)
            let index = Index(by: query.order, of: value.children)
            for skip in [0, 1, 3, all.count, .max] {
                let count = query.limit?.count ?? all.count
                let expected =
                    query.limit?.isFirst ?? true
                    ? all.dropFirst(skip).prefix(count) : all.dropLast(skip).suffix(count)
                let shown = query.shown(in: OrderedList(value, by: index), skipping: skip)
                #expect(shown.value.children.map(\.key) == expected.sorted(), "\(query), \(seed)")
                #expect(shown.count == expected.count)
            }
        }
    }

    /// The first difference between the engine and the naive view, in words.
    private static func difference(
        seed: Int, rounds: Int, wrong: WrongQuery? = nil
    ) throws -> String? {
        var lists = RandomLists(seed: seed)
        let query = try lists.query()
        var contest = Contest(wrong?.changed(query) ?? query, against: query)
        for round in 0..<rounds {
            let writes = round == 0 ? [(Path.root, lists.list())] : lists.operation()
            if let difference = contest.play(writes) {
                return "round \(round), \(query), \(writes): \(difference)"
            }
        }
        return nil
    }
}

/// Mistakes in how a query's members are understood.
enum WrongQuery: CaseIterable {
    case startInclusion, endInclusion, limitTooHigh, otherEnd

    func changed(_ query: Query) -> Query {
        var query = query
        switch self {
        case .startInclusion: query.start = query.start.map(Self.flipped)
        case .endInclusion: query.end = query.end.map(Self.flipped)
        case .limitTooHigh:
            query.limit = query.limit.map { .init(count: $0.count + 1, isFirst: $0.isFirst) }
        case .otherEnd:
            query.limit = query.limit.map { .init(count: $0.count, isFirst: !$0.isFirst) }
        }
        return query
    }

    private static func flipped(_ bound: Query.Bound) -> Query.Bound {
        Query.Bound(bound.value, bound.key, isInclusive: !bound.isInclusive)
    }
}

/// One listener, served in three ways: by a naive view, by a view over all data, and by a server
/// that tells a client no more than the window.
private struct Contest {
    private var naive: NaiveView
    private var complete: CachedView
    private var server = SharedViews()
    private var windowOnly: CachedView
    private let query: Query

    init(_ query: Query, against right: Query) {
        self.query = query
        naive = NaiveView(of: right)
        complete = CachedView(of: query, for: .all)
        windowOnly = CachedView(of: query, for: .all)
    }

    /// Gives one operation to all; the difference between them, in words.
    mutating func play(_ writes: [(path: Path, value: Value)]) -> String? {
        let isFirst = !naive.isComplete
        let before = naive.value
        let expected = naive.write(writes)
        let events = complete.apply(writing: writes)
        if events != expected { return "expected \(expected), got \(events)" }
        if complete.view.value != naive.shown { return "the value is \(complete.view.value)" }

        if isFirst {
            let events = windowOnly.set(server.add(query, over: naive.value))
            return events == expected ? nil : "a client that joins gets \(events)"
        }
        let changes = Contest.changes(writes, from: before)
        if let failure = Contest.failure(in: ListChange(changes, to: naive.value), from: before) {
            return failure
        }
        let notices = server.apply(changes, to: naive.value)
        let received = notices.flatMap { windowOnly.apply(writing: $0.writes) }
        if received != expected { return "expected \(expected), a client gets \(received)" }
        if windowOnly.cache != naive.shown { return "a client knows \(windowOnly.cache)" }
        let shown = server.results(of: query, over: naive.value)
        if query.isFiltered, shown.value != naive.shown.content {
            return "a read shows \(shown.value)"
        }
        return nil
    }

    /// The changes that a tree reports for an operation: the exact changes of each write in order.
    private static func changes(
        _ writes: [(path: Path, value: Value)], from before: Value
    ) -> [Change] {
        var value = before
        var changes: [Change] = []
        for write in NaiveView.withoutEmptyMoments(writes) {
            let old = value
            value.set(write.value, at: write.path)
            Change.append(from: old, to: value, at: .root, into: &changes)
        }
        return changes
    }

    private static func failure(in change: ListChange, from before: Value) -> String? {
        for child in change.children where child.old != before[child.key] {
            return "\(child.key) was \(before[child.key]), not \(child.old)"
        }
        return nil
    }
}
