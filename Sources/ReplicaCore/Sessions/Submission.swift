import SyncProtocol

/// A request that needs more than its session: `Replica` does it, and answers.
struct Submission: Sendable {
    let session: SessionID
    let message: ClientMessage
    /// When the last transaction was decided that the request has waited for.
    let decidedTime: HybridTime?

    init(_ session: SessionID, _ message: ClientMessage, after decidedTime: HybridTime? = nil) {
        (self.session, self.message, self.decidedTime) = (session, message, decidedTime)
    }

    var id: UInt64 { message.id }

    /// The write concern; nil if the client requests only `ok`.
    var concern: WriteConcern? {
        switch message.request {
        case .put(let put): put.concern
        case .merge(let merge): merge.concern
        case .setRules(let request): request.concern
        default: nil
        }
    }

    /// How long its client waits for that.
    var patienceMilliseconds: UInt64 {
        guard case .setRules(let request) = message.request else {
            return WriteConcern.patienceMilliseconds
        }
        return min(
            request.patienceMilliseconds ?? WriteConcern.patienceMilliseconds,
            WriteConcern.longestPatienceMilliseconds)
    }
}
