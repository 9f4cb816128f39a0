public import ClientCore

extension Database {
    /// Waits until what was written before is stable: all of it is at the node that this program is
    /// connected to, from whatever node, and nothing can come any more that would change it.
    ///
    ///     try await database.waitUntilSettled(within: .seconds(30))
    ///     let votes = try await database.reference(withPath: "votes").getData()
    ///
    /// What is read afterwards has all of that, and what was written since, which may still change.
    /// "Before" is by the nodes' clocks. It takes a little longer than nodes take older writes of clients
    /// that have lost their node (`retryWindowMilliseconds`, five seconds unless set), and needs all nodes
    /// that are not voted out; what one of those alone has comes later, if at all, as written anew.
    ///
    /// - Parameter limit: For how long to wait; ten minutes at most.
    /// - Throws: `HearthError` with the code `not stable` when it takes longer, naming the nodes that are
    ///   waited for; `unreachable` when no node answers; `cancelled` when the task is.
    public nonisolated(nonsending) func waitUntilStable(
        within limit: Duration = .seconds(30)
    ) async throws(HearthError) {
        let connection = try connection.get()
        let milliseconds = UInt64(min(max(.zero, limit), .seconds(600)) / .milliseconds(1))
        _ = try await Outcome<Answer>.of(.read("earlier writes to be stable")) { outcome in
            connection.send(
                .awaitStable(milliseconds: milliseconds),
                // The node's refusal, with its reason, comes at the end of the limit.
                patience: .limited(milliseconds: milliseconds + 1_000)
            ) { outcome.end($0) }
        }
    }
}
