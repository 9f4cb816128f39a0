import SyncProtocol

/// How many turns the requests of ordinary clients wait for their share at a node, while others send much.
struct SmallRequests {
    /// The longest wait so far, and when it ended.
    struct Wait {
        let session: SessionID
        let turns: Int
    }

    private(set) var count = 0
    private(set) var longest: Wait?
    /// The sessions whose requests are not served yet, with the turns since they arrived; never iterated in an order that
    /// matters.
    private var waiting: [SessionID: Int] = [:]

    /// Records that a request has arrived in the open turn.
    mutating func add(of session: SessionID) {
        count += 1
        if waiting[session] == nil { waiting[session] = 0 }
    }

    /// Ends a turn, after which some requests still wait.
    mutating func endTurn(_ isWaiting: (SessionID) -> Bool) {
        for (session, turns) in waiting.sorted(by: { $0.key < $1.key }) {
            guard isWaiting(session) else {
                waiting[session] = nil
                continue
            }
            waiting[session] = turns + 1
            if turns + 1 > longest?.turns ?? 0 {
                longest = Wait(session: session, turns: turns + 1)
            }
        }
    }
}
