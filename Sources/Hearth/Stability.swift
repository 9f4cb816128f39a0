public import ClientCore

extension Database {
    /// Returns once all earlier writes of all nodes have arrived at the connected node. They can no
    /// longer change the data there: the data of that time are stable.
    ///
    ///     try await database.waitUntilStable(within: .seconds(30))
    ///     let votes = try await database.reference(withPath: "votes").getData()
    ///
    /// A read afterwards shows all of these writes, and later ones, which may still change.
    /// "Earlier" refers to the nodes' clocks. The wait is a little longer than the retry window
    /// (`retryWindowMilliseconds`, five seconds by default), and needs contact with all nodes that
    /// are not evicted. Writes that only an evicted node has arrive later, replayed as new writes.
    ///
    /// - Parameter limit: For how long to wait; ten minutes at most.
    /// - Throws: `HearthError` with the code `not stable` when it takes longer, naming the nodes that are
    ///   waited for; `unreachable` when no node answers; `cancelled` when the task is.
    public nonisolated(nonsending) func waitUntilStable(
        within limit: Duration = .seconds(30)
    ) async throws(HearthError) {
        let connection = try connection.get()
        let milliseconds = min(limit, .seconds(600)).wholeMilliseconds
        _ = try await Outcome<Answer>.of(.read("earlier writes to be stable")) { outcome in
            connection.send(
                .awaitStable(milliseconds: milliseconds),
                // The node's refusal, with its reason, comes at the end of the limit.
                patience: .limited(milliseconds: milliseconds + 1_000)
            ) { outcome.end($0) }
        }
    }
}

extension Duration {
    /// The milliseconds of it: zero for a negative one, and at most those of a thousand years.
    var wholeMilliseconds: UInt64 {
        UInt64(min(max(.zero, self), .seconds(31_557_600_000)) / .milliseconds(1))
    }
}
