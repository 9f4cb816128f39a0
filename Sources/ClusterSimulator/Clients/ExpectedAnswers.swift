import SyncProtocol

/// The outstanding answers of a protocol client's connection. Each message has its own answer, and
/// writes are answered in their order. A malformed message is refused without harm to the others.
struct ExpectedAnswers {
    /// A message that the client has sent.
    struct Asked {
        enum Kind {
            /// It is answered at once, or refused.
            case write
            case ping
            /// It may wait for others.
            case other
            /// It has to be refused.
            case malformed
        }

        let id: UInt64
        let kind: Kind
    }

    private var asked: [Asked] = []

    mutating func expect(_ kind: Asked.Kind, _ id: UInt64) {
        asked.append(Asked(id: id, kind: kind))
    }

    /// A new connection owes nothing.
    mutating func removeAll() { asked.removeAll() }

    /// Takes an answer; returns what is wrong with it.
    ///
    /// - Parameter code: The error's, if it is one.
    mutating func receive(_ id: UInt64, refused code: ErrorCode?) -> String? {
        // The node speaks of the connection, or has no idea what it was asked.
        if id == 0 { return code == .invalid ? "a node cannot tell what it refuses" : nil }
        guard let index = asked.firstIndex(where: { $0.id == id }) else {
            return "a node answers \(id), which its client has not asked"
        }
        let answered = asked.remove(at: index)
        switch answered.kind {
        case .malformed where code == nil: return "a node does what nobody can read"
        case .ping where asked[..<index].contains { $0.kind == .write }:
            return "a node answers \(id), and leaves out a write before it"
        default: return nil
        }
    }
}
