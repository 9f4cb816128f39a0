/// The lines of the log about a node that has started and does not serve clients yet.
struct WaitNews {
    /// Most nodes serve before.
    private static let patienceSeconds = 5

    private var seconds = 0
    private var last: String?
    private var hasServed = false

    /// Once a second: returns a line if the node still waits, once for each state.
    ///
    /// - Parameter missing: The peers for which it waits.
    mutating func line(isServing: Bool, missing: [String]) -> String? {
        guard !hasServed else { return nil }
        hasServed = isServing
        seconds += 1
        guard !isServing, seconds >= Self.patienceSeconds else { return nil }
        let line =
            "serves no clients yet: it "
            + (missing.isEmpty
                ? "fetches the data of the others"
                : "waits for \(missing.joined(separator: " and "))")
        defer { last = line }
        return line == last ? nil : line
    }
}
