import DataTree
import SyncProtocol

// Copies of the database, which a client may ask for.

extension Replica {
    mutating func backUp(to name: String, _ id: UInt64, _ session: SessionID) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            return refuse(
                .invalid, "\"\(name.prefix(80))\" cannot name a backup",
                fix: "use 1 to 64 letters, digits, - and _", id, session)
        }
        if isBackingUp {
            return refuse(
                .unavailable, "\(configuration.member) writes another backup now",
                fix: "wait for its end", id, session)
        }
        isBackingUp = true
        turn.published.append(.backUp(name: name, id: id, for: session))
    }

    mutating func answer(
        _ id: UInt64, _ result: Result<String, BackupFailure>, for session: SessionID
    ) {
        if session == .none { return }
        isBackingUp = false
        switch result {
        case .success(let path): outbox.append(.value(id: id, value: .string(path)), to: session)
        case .failure(let failure):
            refuse(.unavailable, failure.problem, fix: failure.fix, id, session)
        }
    }
}
