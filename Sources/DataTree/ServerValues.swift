// How the placeholders in written data become data. Source: `firebase-semantics.md`, section 7.

extension Value {
    /// Whether a placeholder is in this value, at any depth, or among its priorities.
    ///
    /// - Complexity: O(size).
    public var containsDeferred: Bool {
        switch self {
        case .deferred: true
        case .object(let children):
            !children.isPacked && children.contains { $0.value.containsDeferred }
        case .prioritized(let value):
            value.content.containsDeferred || value.priority.containsDeferred
        case .null, .boolean, .integer, .double, .string: false
        }
    }

    /// Whether a timestamp is in this value, at any depth, or among its priorities.
    ///
    /// - Complexity: O(size).
    public var containsTimestamp: Bool {
        switch self {
        case .deferred(.timestamp): true
        case .object(let children):
            !children.isPacked && children.contains { $0.value.containsTimestamp }
        case .prioritized(let value):
            value.content.containsTimestamp || value.priority.containsTimestamp
        case .deferred(.increment), .null, .boolean, .integer, .double, .string: false
        }
    }

    /// Whether an increment is among the priorities: only the accepting node knows the priority that it adds to.
    ///
    /// - Complexity: O(size).
    public var incrementsPriority: Bool {
        switch self {
        case .object(let children):
            !children.isPacked && children.contains { $0.value.incrementsPriority }
        case .prioritized(let value):
            value.content.incrementsPriority || value.priority.isIncrement
        case .deferred, .null, .boolean, .integer, .double, .string: false
        }
    }

    /// Whether this value is an increment.
    public var isIncrement: Bool {
        if case .deferred(.increment) = content { true } else { false }
    }

    /// This value with one instant in place of every timestamp; increments stay.
    ///
    /// - Parameter milliseconds: Wall time since 1970 of the node that accepts the write.
    /// - Complexity: O(size).
    public func resolvingTimestamps(at milliseconds: UInt64) -> Value {
        resolving(against: .null) { placeholder, _ in
            switch placeholder {
            case .timestamp: .integer(Int64(milliseconds))
            case .increment: nil
            }
        } ?? self
    }

    /// This value without placeholders, as a write of it over `old` would store it.
    ///
    /// - Parameters:
    ///   - milliseconds: Wall time since 1970.
    ///   - old: What is at the same location before the write; increments add to its numbers, and
    ///     anything else counts as zero.
    /// - Complexity: O(size).
    public func resolved(at milliseconds: UInt64, against old: Value) -> Value {
        resolving(against: old) { placeholder, old in
            switch placeholder {
            case .timestamp: .integer(Int64(milliseconds))
            case .increment(let delta): (old.number.map { $0 + delta } ?? delta).value
            }
        } ?? self
    }

    /// The resolved value, or nil where there was nothing to resolve, which stays shared.
    private func resolving(
        against old: Value, _ resolve: (ServerValue, Value) -> Value?
    ) -> Value? {
        switch self {
        case .deferred(let placeholder):
            return resolve(placeholder, old)
        case .object(let children):
            if children.isPacked { return nil }
            var changed = children
            for (key, child) in children {
                if let resolved = child.resolving(against: old[key], resolve) {
                    changed[key] = resolved
                }
            }
            return changed.isShared(with: children) ? nil : .object(changed)
        case .prioritized(let value):
            let content = value.content.resolving(against: old.content, resolve)
            let priority = value.priority.resolving(against: old.priority, resolve)
            if content == nil, priority == nil { return nil }
            return (content ?? value.content).prioritized(priority ?? value.priority)
        case .null, .boolean, .integer, .double, .string:
            return nil
        }
    }
}
