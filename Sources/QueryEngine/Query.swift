public import DataTree

/// Selects children of one location for a listener: an order, a range, and a limit.
///
///     let best = try Query().ordered(byChild: "points").limited(toLast: 10)
///
/// A query is a value: each refinement returns a changed copy. Two queries are equal if their members say
/// that they show the same children in the same order. Refinements throw Firebase's own
/// messages. Source: `firebase-semantics.md`, section 4.
public struct Query: Sendable {
    /// One end of the range.
    ///
    /// A class without variables, so that a query is small: many messages contain one, nearly always without a
    /// range.
    public final class Bound: Hashable, Sendable {
        /// A bound's key: among children with the bound's value, it tells those inside from the
        /// others.
        public enum Key: Hashable, Sendable {
            /// `[MIN_NAME]`: before all keys.
            case least
            case key(DataTree.Key)
            /// `[MAX_NAME]`: behind all keys.
            case greatest
        }

        /// The value that children are compared with: a primitive or null; in key order, the key as a string.
        public let value: Value
        /// Nil stands for the key that lets all children with the value in.
        public let key: Key?
        package let isInclusive: Bool

        /// Takes a value in its one form, so that equal bounds are equal values.
        init(_ value: Value, _ key: Key?, isInclusive: Bool) {
            self.value = value.number?.value ?? value
            self.key = key
            self.isInclusive = isInclusive
        }
    }

    /// How many children are shown at most, and from which end of the range.
    public struct Limit: Hashable, Sendable {
        /// How many there are.
        public let count: Int
        /// Whether the first children of the range are shown, or the last ones.
        public let isFirst: Bool
    }

    package internal(set) var order: ChildOrder = .priority
    package internal(set) var start: Bound?
    package internal(set) var end: Bound?
    package internal(set) var limit: Limit?
    /// Whether the order was asked for, so that it cannot be asked for again.
    var isOrdered = false

    /// All children, in the order of their priorities.
    public init() {}

    /// Whether the query may hide children. It then shows nothing of a primitive, and never the
    /// priority of the location itself.
    public var isFiltered: Bool { start != nil || end != nil || limit != nil }
}

extension Query: Hashable {
    /// Whether both are the same.
    public static func == (a: Query, b: Query) -> Bool {
        a.order == b.order && a.start == b.start && a.end == b.end && a.limit == b.limit
    }

    /// Adds what makes two of these equal.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(order)
        hasher.combine(start)
        hasher.combine(end)
        hasher.combine(limit)
    }
}

extension Query.Bound {
    /// Whether both are the same.
    public static func == (a: Query.Bound, b: Query.Bound) -> Bool {
        a.isInclusive == b.isInclusive && a.key == b.key && a.value == b.value
    }

    /// Adds what makes two of these equal.
    public func hash(into hasher: inout Hasher) {
        SortValue(value).hash(into: &hasher)
        hasher.combine(key)
        hasher.combine(isInclusive)
    }
}

// MARK: - The range as cuts

extension Query {
    /// The start of the range.
    var lowCut: Cut { start.map { cut(at: $0, isStart: true) } ?? .start }
    /// The end of the range.
    var highCut: Cut { end.map { cut(at: $0, isStart: false) } ?? .end }

    private func cut(at bound: Bound, isStart: Bool) -> Cut {
        let (value, key) = position(of: bound)
        switch key ?? (isStart ? .least : .greatest) {
        case .least: return .before(all: value)
        case .greatest: return .behind(all: value)
        case .key(let key):
            let position = ListPosition(sortValue: value, key: key)
            return bound.isInclusive == isStart ? .before(position) : .behind(position)
        }
    }

    private func position(of bound: Bound) -> (SortValue, Bound.Key?) {
        guard order == .key, case .string(let text) = bound.value else {
            return (SortValue(bound.value), bound.key)
        }
        return (.null, Bound.Key(text))
    }
}

extension Query {
    /// Whether a child is in the range, before the limit applies.
    public func isInRange(_ key: Key, _ child: Value) -> Bool {
        let position = order.position(of: key, child)
        return !lowCut.isBehind(position) && highCut.isBehind(position)
    }
}
