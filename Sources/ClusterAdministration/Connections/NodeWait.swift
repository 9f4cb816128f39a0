internal import ClientConnection
package import CommandLineKit
package import SyncProtocol

/// A wait for an answer of a node: if it lasts, reports on standard error for which node.
package struct NodeWait {
    /// How long a thread waits before it looks for Ctrl-C.
    package static let slice = Duration.milliseconds(50)
    /// Most answers come earlier, and an absent node is detected after a second.
    static let patience = Duration.milliseconds(1_500)

    private let link: NodeLink
    private let limit: Duration
    private let concern: WriteConcern?
    private var start = ContinuousClock.now
    private var told = ""

    package init(for link: NodeLink, within limit: Duration, concern: WriteConcern? = nil) {
        self.link = link
        self.limit = limit
        self.concern = concern
    }

    /// Whether the limit has passed since the beginning or the last answer.
    package var isOver: Bool { ContinuousClock.now - start >= limit }

    /// An answer came, and another one is waited for.
    package mutating func restart() { start = ContinuousClock.now }

    /// Reports the node that this waits for, once it has waited for a moment, and again when that changes.
    package mutating func report() {
        guard ContinuousClock.now - start >= NodeWait.patience else { return }
        let sentence = NodeWait.sentence(link.currentContact, link, concern)
        if sentence == told { return }
        told = sentence
        Terminal.standardError.print(
            "\(sentence), \(NodeWait.bound(link.currentContact, limit, concern))")
    }

    /// How long an answer takes at most, as messages say it: a node waits for others for a time of its own.
    static func bound(
        _ contact: NodeContact, _ limit: Duration, _ concern: WriteConcern?
    ) -> String {
        let atNode = Duration.milliseconds(WriteConcern.patienceMilliseconds)
        if case .served = contact, concern ?? .local > .local, atNode < limit {
            return "for \(text(of: atNode)) at most"
        }
        return "for \(text(of: limit)) at most (--timeout)"
    }

    /// A limit as messages say it: `5 s`, `0.5 s`.
    package static func text(of limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }

    /// The reason of the wait, as a sentence.
    static func sentence(
        _ contact: NodeContact, _ link: NodeLink, _ concern: WriteConcern? = nil
    ) -> String {
        switch contact {
        case .served(let address):
            let node = "waiting for \(link.name(of: address))"
            return switch concern {
            case nil, .local: node + " to answer"
            case .majority: node + ", until most nodes hold the write"
            case .all: node + ", until all nodes hold the write"
            }
        case .searching(let refusal?):
            return "waiting for a node that accepts the request: \(refusal.problem)"
        case .searching(nil): return "waiting for a node: none of \(link.allNames) answers"
        }
    }

    /// Why nothing was answered in time, when many requests were open.
    package func timedOut() -> CommandError {
        let problem: String
        switch link.currentContact {
        case .served(let address): problem = "\(link.name(of: address)) did not answer"
        case .searching(let refusal?): problem = "no node accepts the request: \(refusal.problem)"
        case .searching(nil): problem = "no node answered at \(link.allNames)"
        }
        return CommandError(
            .outcomeUnknown, "\(problem) within \(NodeWait.text(of: limit))",
            fix: "run `hearth cluster status`; read the location to see what was written")
    }

    /// Ctrl-C while this waited.
    package func interrupted(isWrite: Bool) -> CommandError {
        CommandError(
            .interrupted, "interrupted while \(NodeWait.sentence(link.currentContact, link))",
            fix: isWrite
                ? "the write may have taken effect, or may still: read the location to see"
                : "run it again later")
    }
}
