import DataTree
import ReplicaCore
import Rules
import SyncProtocol

/// One replica with rules, data, and signed-in clients.
struct RuledReplica {
    static let administrator = SessionID(number: 9)
    static let user = SessionID(number: 1)
    static let guest = SessionID(number: 2)

    private(set) var replica: TestReplica

    /// - Parameter rules: The value of `rules`; nil for a replica without rules.
    init(
        _ rules: String?, data: Value = .null, demandingIndexes: Bool = false,
        within limits: ReplicaLimits = ReplicaLimits()
    ) {
        replica = TestReplica(demandingIndexes: demandingIndexes, within: limits)
        if let rules { _ = ask(.setRules(id: 1, source: RuledReplica.document(rules))) }
        if !data.isNull { _ = ask(.put(id: 2, path: .root, value: data)) }
        _ = identify(RuledReplica.user, as: .user(.user("u1")))
        _ = identify(RuledReplica.guest, as: .anonymous)
    }

    static func document(_ rules: String) -> String { "{\"rules\": \(rules)}" }

    var value: Value { replica.value }
    /// The value of the replica's tree.
    var vector: VersionVector { replica.replica.vector }
    /// The wall clock of the last turn.
    var milliseconds: UInt64 { replica.wallMilliseconds }

    mutating func identify(
        _ session: SessionID, as principal: Principal
    ) -> [SessionID: [NodeMessage]] {
        replica.turn([.identified(session, principal)])
    }

    /// The messages to the client of the request, without ends of frames.
    mutating func ask(
        _ message: ClientMessage, by session: SessionID = administrator
    ) -> [NodeMessage] {
        told([.requested(message.frame, by: session)])[session] ?? []
    }

    mutating func queries(after milliseconds: UInt64) -> NodeStatus.Queries {
        replica.queryStatus(after: milliseconds)
    }

    mutating func told(
        _ inputs: [Input], after milliseconds: UInt64 = 1
    ) -> [SessionID: [NodeMessage]] {
        replica.turn(inputs, after: milliseconds)
    }

    mutating func status() -> NodeStatus { replica.status() }

    /// Whether the rules permit a request: any other answer than a denial.
    mutating func permits(_ message: ClientMessage, by session: SessionID = user) -> Bool {
        !ask(message, by: session).contains { $0.code == .permissionDenied }
    }
}

extension NodeMessage {
    /// Why a request was refused, or a listen ended.
    var code: ErrorCode? {
        switch self {
        case .error(_, let code, _, _), .ended(_, let code, _, _): code
        default: nil
        }
    }
}
