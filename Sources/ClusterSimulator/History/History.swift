import SyncProtocol

/// The requests of clients in a run, and their outcomes; the scenario bounds their number.
struct History {
    /// A node refused a request; another node may execute it.
    struct Refused {
        var operation: Int
        var node: Int
        var problem: String
        var time: Microseconds
    }

    var operations: [ClientOperation] = []
    /// The transactions of applications.
    var transactions: [TransactionRecord] = []
    var refusals: [Refused] = []
    /// The transactions that clients were told to be done, by their names.
    var decisions: [(name: Stamp, time: Microseconds)] = []
    /// The requests of the library's clients that ended undecided.
    var undecided: [(client: Int, time: Microseconds)] = []
    /// The problems of evicted nodes that accepted writes too early.
    var earlyReturns: [String] = []
}
