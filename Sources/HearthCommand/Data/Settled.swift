internal import ClientCore
internal import Hearth
internal import Threads

extension NodeClient {
    /// The first of several connections, each to a node of its own, at whose node all is settled that was
    /// written before this began: one that is cut off must not hold up the others.
    static func firstSettled(
        of connections: [Connection], within limit: Duration
    ) throws(HearthError) -> Connection {
        let milliseconds = UInt64(limit / .milliseconds(1))
        let outcomes = Monitor<[Result<Int, HearthError>]>([])
        for (index, connection) in connections.enumerated() {
            connection.send(
                .settle(milliseconds: milliseconds),
                patience: .limited(milliseconds: milliseconds + 1_000)
            ) { result in
                outcomes.withLock { $0.append(result.map { _ in index }) }
                outcomes.signal()
            }
        }
        let first = try outcomes.wait { $0.decision(of: connections.count) }.get()
        return connections[first]
    }
}

extension [Result<Int, HearthError>] {
    /// The first success, or once all have failed the failure that tells most; nil before.
    fileprivate func decision(of count: Int) -> Result<Int, HearthError>? {
        func isSuccess(_ result: Element) -> Bool {
            if case .success = result { true } else { false }
        }
        func tellsWhy(_ result: Element) -> Bool {
            if case .failure(let error) = result { error.code == .unsettled } else { false }
        }
        if let success = first(where: isSuccess) { return success }
        return self.count == count ? first(where: tellsWhy) ?? first : nil
    }
}
