internal import ClientConnection
internal import ClientCore
internal import CommandLineKit
internal import Threads

/// Reports on standard error when a command that stays connected has lost its node, and to which node it
/// then connects.
package final class ContactReporter: Sendable {
    private let link: NodeLink

    /// Begins with the node that serves now.
    package init(of link: NodeLink) {
        self.link = link
        let log = Monitor(ContactLog(since: link.currentContact))
        link.observe { contact in
            let sentence = log.withLock { $0.sentence(for: contact, link) }
            if let sentence { Terminal.standardError.print(sentence) }
        }
    }

    /// Ends the reports.
    package func end() { link.observe(nil) }
}

/// The node that served last, and since when none does.
struct ContactLog: Sendable {
    private var node: String?
    private var lostAt: ContinuousClock.Instant?
    /// The problem that the last sentence named.
    private var problem: String?

    package init(since contact: NodeContact) {
        if case .served(let address) = contact { node = address }
    }

    /// The report of a change; nil if nothing has changed, as when one more node is tried.
    mutating func sentence(for contact: NodeContact, _ link: NodeLink) -> String? {
        switch contact {
        case .searching(let refusal):
            guard let node, lostAt == nil else { return sentence(for: refusal) }
            (lostAt, problem) = (.now, refusal?.problem)
            let reason = refusal.map { ": \($0.problem)" } ?? ""
            return "lost contact with \(link.name(of: node))\(reason); trying \(link.allNames)"
        case .served(let address):
            defer { (node, lostAt, problem) = (address, nil, nil) }
            guard let lostAt else { return nil }
            let seconds = Double(Int((ContinuousClock.now - lostAt) / .milliseconds(100))) / 10
            return "connected to \(link.name(of: address)) after \(seconds) s"
        }
    }

    /// The report of the reason why no node serves, once for each reason.
    private mutating func sentence(for refusal: HearthError?) -> String? {
        guard let refusal, lostAt != nil, refusal.problem != problem else { return nil }
        problem = refusal.problem
        return "still not connected: \(refusal.problem); \(refusal.fix)"
    }
}
