internal import DataTree
internal import QueryEngine

/// The children of a location in the order of a window.
///
/// - Complexity: In the order of keys, it is made in O(1); in another order, in O(n log n).
struct ConsoleList {
    /// The most children that are sorted here, after each change. For longer lists, the replica keeps an index.
    static let sortLimit = 5_000

    let children: Children
    let order: ChildOrder
    /// The children in their order; nil in the order of keys.
    private let sorted: [(key: Key, value: Value)]?

    /// Whether some children are few enough for an order.
    static func mayHold(_ children: Children, by order: ChildOrder) -> Bool {
        order == .key || children.count <= sortLimit
    }

    /// The list of children; nil if they are too many to be sorted.
    init?(of children: Children, by order: ChildOrder) {
        guard ConsoleList.mayHold(children, by: order) else { return nil }
        (self.children, self.order) = (children, order)
        sorted = order == .key ? nil : children.ordered(by: order)
    }

    var count: Int { children.count }

    /// The rank of the first child whose key is not before a key. In another order than that of keys, it is the rank of the child
    /// with this key, or 0.
    func rank(of key: Key) -> Int {
        guard let sorted else { return children.rank(of: key) }
        return sorted.firstIndex { $0.key == key } ?? 0
    }

    /// The children at some ranks.
    func rows(in ranks: Range<Int>, withFields: Bool) -> [ConsoleRow] {
        if let sorted {
            return sorted[ranks].map { ConsoleRow(key: $0, value: $1, hasFields: withFields) }
        }
        var rows: [ConsoleRow] = []
        rows.reserveCapacity(ranks.count)
        children.visit(in: ranks) {
            rows.append(ConsoleRow(key: $0, value: $1, hasFields: withFields))
        }
        return rows
    }
}
