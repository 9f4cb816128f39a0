/// How a client looks for a node.
struct NodeSearch {
    /// The tries to connect are counted over so much time.
    static let window: Microseconds = .seconds(2)

    private var since: Microseconds?
    private var tries: [Microseconds] = []
    /// The longest that it went without a node, while all served.
    private(set) var longest: Microseconds = 0
    /// The most tries within `window`, while no node served.
    private(set) var most = 0
    /// How often it had to search.
    private(set) var count = 0

    mutating func noteTry(at now: Microseconds) {
        tries.removeAll { $0 + NodeSearch.window < now }
        tries.append(now)
    }

    /// The client has a node, or looks for none.
    mutating func end() { since = nil }

    /// The client has no node.
    ///
    /// - Parameter areServing: Whether all nodes serve; nil if some do.
    mutating func record(areServing: Bool?, at now: Microseconds) {
        if areServing == false { most = max(most, tries.count) }
        guard areServing == true else { return end() }
        if since == nil { count += 1 }
        let since = since ?? now
        self.since = since
        longest = max(longest, now - since)
    }
}
