/// A connection of a client to one incarnation of a node. Frames on it come in order, until it breaks.
struct Connection {
    // The properties that every frame reads come first.
    let client: Int
    let node: Int
    let incarnation: Int
    /// Whether it leads to the node's HTTP port, and carries bytes; otherwise frames.
    let isToPort: Bool
    /// When the last frame on its way arrives.
    var lastAtNode: Microseconds = 0
    var lastAtClient: Microseconds = 0
    /// How many frames its node has sent on it, without those that are unread.
    var sentFrames = 0
    /// The node has accepted the connection; until then frames on it wait.
    var isAccepted = true
    /// The connection carries no more frames, even if its ends have not noticed yet.
    private(set) var isBroken = false
    /// The client does not read: what its node sends waits.
    var isClogged = false
    /// Its client is gone, and has not said so.
    private(set) var gone: Gone?

    var waiting: [[UInt8]] = []
    /// When it broke, or the node began to stop: its on-disconnect writes are due.
    private(set) var ended: Microseconds?
    /// The node never accepted the connection, so that no request on it was executed.
    var wasRefused = false
    /// The writes that its node has to do once it has ended.
    var onDisconnect = DisconnectModel()
    /// Its node knows the identity of its client.
    var isIdentified = false
    /// The identities that its client may have, by the credentials that it has sent, while its node
    /// processes them.
    var mayBe: [UserIdentity] = []
    /// Its node has noticed its end, and takes nothing more from it.
    var isOverAtNode = false
    /// The operations requested on it, by the ids of their requests.
    var asked: [(id: UInt64, operation: Int)] = []
    var unread: [[UInt8]] = []
    /// The node's end of a connection to its HTTP port; nil for others.
    var port: PortEnd?

    /// How a client goes without a word, and when.
    struct Gone {
        var time: Microseconds
        /// Whether its machine still takes frames, as of a program that is suspended.
        var takesFrames: Bool
    }

    var isGone: Bool { gone != nil }

    mutating func abandon(at now: Microseconds, takingFrames takesFrames: Bool) {
        gone = gone ?? Gone(time: now, takesFrames: takesFrames)
        end(at: now)
    }

    mutating func end(at now: Microseconds) { ended = ended ?? now }

    mutating func breaks(at now: Microseconds) {
        isBroken = true
        end(at: now)
    }
}
