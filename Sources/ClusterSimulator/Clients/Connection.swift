/// A connection of a client to one incarnation of a node. Frames on it come in order, until it breaks.
struct Connection {
    let client: Int
    let node: Int
    let incarnation: Int
    /// The node has taken the connection; until then what is sent on it waits.
    var isAccepted = true
    var waiting: [[UInt8]] = []
    /// Nothing passes any more, whether its ends know it or not.
    private(set) var isBroken = false
    /// When nothing passed any more, or the node began to stop: its on-disconnect writes are due.
    private(set) var ended: Microseconds?
    /// The node did not take the connection, so that nothing asked on it was done.
    var wasRefused = false
    /// The operations that were asked for on it, by the ids of their requests.
    var asked: [(id: UInt64, operation: Int)] = []
    /// When the last frame on its way arrives.
    var lastAtNode: Microseconds = 0
    var lastAtClient: Microseconds = 0

    mutating func end(at now: Microseconds) { ended = ended ?? now }

    mutating func breaks(at now: Microseconds) {
        isBroken = true
        end(at: now)
    }
}
