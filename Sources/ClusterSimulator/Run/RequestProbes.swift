import ReplicaCore

/// What was asked of copies, and what they did wrong first.
struct RequestProbes {
    /// How many turns with something to store there are on average from one copy to the next.
    static let turnInterval = 16
    /// How many requests a copy gets, one after the other, most of them near the one before.
    static let requests = 4

    var random: SplitMix64
    /// How many were done.
    var count = 0
    var failure: String?
}
