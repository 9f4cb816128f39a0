import DataTree
import SyncProtocol

// Copies of the database, which a client may request.

extension Sessions {
    /// Begins a backup; only one runs at a time.
    mutating func beginBackup(_ name: String) throws(RequestFailure) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw RequestFailure(
                .invalid, "\"\(name.prefix(80))\" cannot name a backup",
                fix: "use 1 to 64 letters, digits, - and _")
        }
        if isBackingUp {
            throw RequestFailure(
                .unavailable, "\(member) writes another backup now", fix: "wait for its end")
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
