import DataTree

/// One operation on a location and its views, the same at every level: `below` gives the operation for a
/// child.
struct SyncOperation: Sendable {
    enum Action: Sendable {
        /// The application writes.
        case write(SyncChange)
        /// A server sends data, to a single filtered query if that requested them.
        case tell(SyncChange, isForQuery: Bool)
        /// A server has accepted the write of these places.
        case acknowledge(SyncChange)
        /// A server has refused the write of these places.
        case revert(SyncChange)
        /// The known data are complete.
        case confirm
    }

    /// The path from the present location to that of the operation.
    let path: Path
    let action: Action

    /// Whether what it does to a view may depend on what wider listens hold.
    var restsOnServedData: Bool {
        switch action {
        case .write, .confirm: true
        case .tell, .acknowledge, .revert: false
        }
    }

    /// The children that it names.
    var keys: [Key] {
        if let key = path.keys.first { return [key] }
        guard let change = action.change else { return [] }
        return Array(change.children.keys) + Array((change.value ?? .null).children.keys)
    }

    /// The operation for a child; nil if it does not concern the child.
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
    /// The writes, each with its place.
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
