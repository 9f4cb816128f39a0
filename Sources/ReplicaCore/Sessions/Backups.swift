import DataTree
import SyncProtocol

// Copies of the database, which a client may request.

extension Sessions {
    /// Begins a backup; only one runs at a time.
    mutating func beginBackup(_ name: String) throws(RequestFailure) {
        guard BackupName.isValid(name) else {
            throw RequestFailure(
                .invalid, "\"\(name.prefix(80))\" cannot name a backup", fix: BackupName.fix)
        }
        if isBackingUp {
            throw RequestFailure(
                .unavailable, BackupFailure.problemOfSecondBackup(at: member),
                fix: "wait until it is complete")
        }
        isBackingUp = true
    }

    /// Answers the client that requested a backup; a copy that the replica itself requested has none.
    mutating func finishBackup(
        _ result: Result<String, BackupFailure>, _ id: UInt64, _ session: SessionID
    ) {
        if session == .none { return }
        isBackingUp = false
        switch result {
        case .success(let path): send(.value(id: id, value: .string(path)), to: session)
        case .failure(let failure):
            refuse(.unavailable, failure.problem, fix: failure.fix, id, session)
        }
    }
}

extension BackupFailure {
    /// The problem of a request while the node writes another backup.
    package static func problemOfSecondBackup(at member: String) -> String {
        "\(member) is already writing a backup"
    }
}
