public import DataTree

/// One event of a listener: Firebase's five kinds.
public struct ViewEvent: Equatable, Sendable {
    /// The kind of the event, as in Firebase.
    public enum Kind: UInt8, Sendable, CaseIterable {
        // In the order in which the events of one change arrive. Source: `firebase-semantics.md`,
        // rule E1.
        case childRemoved
        case childAdded
        case childMoved
        case childChanged
        case value
    }

    /// Several kinds of events.
    public struct Kinds: OptionSet, Sendable {
        /// As it is written.
        public let rawValue: UInt8

        /// The set of these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        package init(_ kind: Kind) { rawValue = 1 << kind.rawValue }

        package static let children: Kinds = Kinds(
            [.childRemoved, .childAdded, .childMoved, .childChanged].map(Kinds.init))
        package static let value = Kinds(.value)
        package static let all: Kinds = [.children, .value]
    }

    package let kind: Kind
    /// The child, or nil for a value event.
    public let key: Key?
    /// The child before it once the whole change is made, or nil if it is the first; always nil for
    /// removals and value events.
    public let previousChildKey: Key?
    /// The child's value (for a removal the one it had), or the whole value.
    public let data: Value

    package init(_ kind: Kind, _ key: Key?, after previousChildKey: Key? = nil, _ data: Value) {
        self.kind = kind
        self.key = key
        self.previousChildKey = previousChildKey
        self.data = data
    }
}
extension ViewEvent.Kind {
    /// Firebase's name for it.
    public var name: String {
        switch self {
        case .childRemoved: "child_removed"
        case .childAdded: "child_added"
        case .childMoved: "child_moved"
        case .childChanged: "child_changed"
        case .value: "value"
        }
    }
}
