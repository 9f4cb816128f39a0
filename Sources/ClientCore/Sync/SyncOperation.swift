import DataTree

/// One thing that happens to a location and its views, the same at every level: `below` makes of it
/// what it is for a child.
struct SyncOperation: Sendable {
    enum Action: Sendable {
        /// The application writes.
        case write(SyncChange)
        /// A server tells what is there; to one filtered query alone if that was asked.
        case tell(SyncChange, isForQuery: Bool)
        /// A server has taken the write of these places.
        case acknowledge(SyncChange)
        /// A server has not taken the write of these places.
        case revert(SyncChange)
        /// A server has nothing to add to what is known.
        case confirm
    }

    /// From the location at hand to where it happens.
    let path: Path
    let action: Action

    /// The children that it names.
    var keys: [Key] {
        if let key = path.keys.first { return [key] }
        guard let change = action.change else { return [] }
        return Array(change.children.keys) + Array((change.value ?? .null).children.keys)
    }

    /// What the operation is for a child; nil if it does not concern it.
    func below(_ key: Key) -> SyncOperation? {
        if let first = path.keys.first {
            guard first == key else { return nil }
            return SyncOperation(path: Path(Array(path.keys.dropFirst())), action: action)
        }
        guard let change = action.change else { return self }
        let part = change[key]
        if part.isEmpty { return nil }
        return SyncOperation(path: .root, action: action.with(part))
    }
}

extension SyncOperation.Action {
    /// What is written, at which places.
    fileprivate var change: SyncChange? {
        switch self {
        case .write(let change), .tell(let change, _), .acknowledge(let change),
            .revert(let change):
            change
        case .confirm: nil
        }
    }

    fileprivate func with(_ change: SyncChange) -> SyncOperation.Action {
        switch self {
        case .write: .write(change)
        case .tell(_, let isForQuery): .tell(change, isForQuery: isForQuery)
        case .acknowledge: .acknowledge(change)
        case .revert: .revert(change)
        case .confirm: .confirm
        }
    }
}
