import DataTree
import Marks

/// The part of an order that a query shows: the positions between two cuts, which a limit draws closer.
///
/// Source: `firebase-semantics.md`, section 4.3.
struct Window: Sendable {
    private var range: (low: Cut, high: Cut)
    private let limit: Query.Limit?
    private(set) var low: Cut
    private(set) var high: Cut
    /// How many children it shows; counted only if there is a limit.
    private(set) var count = 0

    /// The empty window of an empty list.
    init(of query: Query) {
        range = (query.lowCut, query.highCut)
        limit = query.limit
        (low, high) = range
    }

    /// Whether it moves when children come and go.
    var isLimited: Bool { limit != nil }

    func contains(_ position: ListPosition) -> Bool {
        !low.isBehind(position) && high.isBehind(position)
    }

    /// The ranks of the children that it shows.
    func ranks(in list: OrderedList) -> Range<Int> {
        let start = list.rank(of: low)
        return start..<max(start, list.rank(of: high))
    }

    /// Places the window on a list, and returns the ranks that it shows.
    ///
    /// - Complexity: O(log n).
    mutating func open(on list: OrderedList) -> Range<Int> {
        (low, high) = range
        count = 0
        let ranks = ranks(in: list)
        guard let limit else { return ranks }
        count = ranks.count
        if count <= limit.count { return ranks }
        count = limit.count
        let shown =
            limit.isFirst
            ? ranks.lowerBound..<ranks.lowerBound + count
            : ranks.upperBound - count..<ranks.upperBound
        let outermost = limit.isFirst ? shown.upperBound - 1 : shown.lowerBound
        list.forEach(in: outermost..<outermost + 1) { position, _ in drawCut(to: position, limit) }
        return shown
    }
}

// MARK: - Moving

extension Window {
    /// Restores the limit after `growth` more children stand between the cuts than before.
    ///
    /// Calls `crossed` with each child that a moving cut passes: with those that fall out if the
    /// window had become too full, otherwise with those that come in.
    ///
    /// - Complexity: O(log n + children passed).
    mutating func adjust(
        by growth: Int, in list: OrderedList, crossed: (ListPosition, Value) -> Void
    ) {
        guard let limit else { return }
        count += growth
        if count > limit.count {
            shrink(by: count - limit.count, limit, in: list, crossed)
        } else if count < limit.count, limit.isFirst ? high != range.high : low != range.low {
            grow(by: limit.count - count, limit, in: list, crossed)
        }
    }

    private mutating func shrink(
        by excess: Int, _ limit: Query.Limit, in list: OrderedList,
        _ crossed: (ListPosition, Value) -> Void
    ) {
        sometimes(.windowPushesOut)
        count = limit.count
        let start = limit.isFirst ? list.rank(of: high) - excess - 1 : list.rank(of: low)
        let outermost = limit.isFirst ? start : start + excess
        var rank = start
        list.forEach(in: start..<start + excess + 1) { position, child in
            if rank == outermost { drawCut(to: position, limit) } else { crossed(position, child) }
            rank += 1
        }
    }

    /// Lets the window end at a position, on the side of the limit.
    private mutating func drawCut(to outermost: ListPosition, _ limit: Query.Limit) {
        if limit.isFirst { high = .behind(outermost) } else { low = .before(outermost) }
    }

    private mutating func grow(
        by lack: Int, _ limit: Query.Limit, in list: OrderedList,
        _ crossed: (ListPosition, Value) -> Void
    ) {
        sometimes(.windowRefills)
        let ranks: Range<Int>
        if limit.isFirst {
            let start = list.rank(of: high)
            ranks = start..<min(start + lack, list.rank(of: range.high))
        } else {
            let end = list.rank(of: low)
            ranks = max(end - lack, list.rank(of: range.low))..<end
        }
        count += ranks.count
        var outermost: ListPosition?
        list.forEach(in: ranks) { position, child in
            if limit.isFirst || outermost == nil { outermost = position }
            crossed(position, child)
        }
        if count < limit.count {
            sometimes(.windowRunsDry)
            (low, high) = range
        } else if let outermost {
            drawCut(to: outermost, limit)
        }
    }
}
