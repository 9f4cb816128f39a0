public import DataTree

/// One event of a listener: Firebase's five kinds.
public struct ViewEvent: Equatable, Sendable {
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
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public init(_ kind: Kind) { rawValue = 1 << kind.rawValue }

        public static let children: Kinds = Kinds(
            [.childRemoved, .childAdded, .childMoved, .childChanged].map(Kinds.init))
        public static let value = Kinds(.value)
        public static let all: Kinds = [.children, .value]
    }

    public let kind: Kind
    /// The child, or nil for a value event.
    public let key: Key?
    /// The child before it once the whole change is made, or nil if it is the first; always nil for
    /// removals and value events.
    public let previousChildKey: Key?
    /// The child's value (for a removal the one it had), or the whole value.
    public let data: Value

    public init(_ kind: Kind, _ key: Key?, after previousChildKey: Key? = nil, _ data: Value) {
        self.kind = kind
        self.key = key
        self.previousChildKey = previousChildKey
        self.data = data
    }
}
