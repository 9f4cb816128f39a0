import DataTree

/// By what the children of a view are ordered; equal ones by key.
enum Index: Equatable, Sendable {
    /// Firebase's order where no other is asked for; without priorities it is key order.
    case priority

    /// What decides a child's place; null comes before everything.
    func indexedValue(of child: Value) -> Value {
        switch self {
        case .priority: child.priority
        }
    }
}

/// Where a child stands in the order of an index.
struct Place: Equatable, Comparable, Sendable {
    let indexedValue: Value
    let key: Key

    static func < (a: Place, b: Place) -> Bool {
        switch a.indexedValue.order(to: b.indexedValue) {
        case .before: true
        case .same: a.key < b.key
        case .after: false
        }
    }
}
