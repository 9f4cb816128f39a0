import SyncProtocol

/// A request of a session that a replica executes.
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
    var concern: WriteConcern? { message.request.concern }

    /// How long its client waits for that.
    var patienceMilliseconds: UInt64 {
        min(
            message.request.patienceMilliseconds ?? WriteConcern.patienceMilliseconds,
            WriteConcern.longestPatienceMilliseconds)
    }
}
