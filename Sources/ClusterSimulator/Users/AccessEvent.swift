import DataTree
import NodeCore
import ReplicaCore
import Rules
import SyncProtocol

/// A step of a replica, for the checks of access.
struct AccessEvent {
    enum Kind {
        case identified(SessionID, UserIdentity)
        case requested(SessionID, ClientMessage)
        case closed(SessionID)
        case other
    }

    let kind: Kind
    let before: AccessMoment
    let after: AccessMoment
    /// The writer of the node's process.
    let writer: WriterID
    /// The node refuses some requests whatever the rules say: it rejoins, or its disk takes no writes.
    let isExempt: Bool

    /// How many operations of its own the replica has made in this step.
    var made: UInt64 { after.vector[writer] - min(before.vector[writer], after.vector[writer]) }

    /// Whether no more than one operation was applied, so that there was no state in between.
    var isSingle: Bool { after.vector.total <= before.vector.total + 1 }
}

/// The state of a replica at one moment, as far as rules need it.
struct AccessMoment {
    let tree: Value
    let vector: VersionVector
    /// By the clock of the node.
    let milliseconds: UInt64
}

extension AccessEvent {
    /// - Parameter milliseconds: When the turn of the step began, by the clock of the node.
    init(_ step: ReplicaStep, at milliseconds: UInt64, isExempt: Bool) {
        self.init(
            kind: Kind(step.input), before: AccessMoment(step.before, at: milliseconds),
            after: AccessMoment(step.after, at: milliseconds), writer: step.writer,
            isExempt: isExempt)
    }
}

extension AccessMoment {
    fileprivate init(_ data: ReplicaStep.Data, at milliseconds: UInt64) {
        self.init(tree: data.tree, vector: data.vector, milliseconds: milliseconds)
    }
}

extension AccessEvent.Kind {
    /// Creates the event of an input with one request.
    init(_ input: Input) {
        switch input {
        case .identified(let session, let principal):
            self = .identified(session, UserIdentity(principal))
        case .requestedMessages(let messages, let session):
            self = messages.first.map { .requested(session, $0) } ?? .other
        case .requested(let frame, let session):
            let messages = (try? FrameReader<ClientMessage>.messages(in: frame)) ?? []
            guard case .message(let message)? = messages.first, messages.count == 1 else {
                self = .other
                return
            }
            self = .requested(session, message)
        case .closed(let session): self = .closed(session)
        default: self = .other
        }
    }
}
