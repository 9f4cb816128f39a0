/// What clients asked for in a run, and what came of it; the scenario bounds how much that is.
struct History {
    /// A node said that it does not do what a client asked for; another one may.
    struct Refused {
        var operation: Int
        var node: Int
        var problem: String
        var time: Microseconds
    }

    var operations: [ClientOperation] = []
    /// What applications wanted decided.
    var transactions: [TransactionRecord] = []
    var refusals: [Refused] = []
}
