internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import QueryEngine
internal import Randomness
internal import SyncProtocol

/// Hostile clients that send the requests of the other rows in random order, each after the answers to its last ones.
struct StallMixture {
    private struct Client {
        /// Answers that it waits for.
        var pending = 0
        /// Requests since it connected.
        var requests = 0
    }

    static let clientCount = 10
    /// A client connects anew after so many requests, so its listens end.
    private static let requestsPerConnection = 12

    private var clients = [Client](repeating: Client(), count: clientCount)
    private var random = SplitMix64(seed: 1)
    /// Makes each order and each location another one.
    private var number = 0

    /// Sends requests for some seconds over the first connections of a load.
    mutating func run(for seconds: Int, over load: inout StallLoad) throws(CommandError) {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            try StopRequest.check()
            for index in clients.indices { try advance(index, over: &load) }
            pause(milliseconds: 5)
        }
    }

    private mutating func advance(
        _ index: Int, over load: inout StallLoad
    ) throws(CommandError) {
        let (answers, isOpen) = load.receiveReady(over: index)
        clients[index].pending = max(0, clients[index].pending - answers)
        if !isOpen || clients[index].requests >= Self.requestsPerConnection {
            try load.reconnect(index)
            clients[index] = Client()
        }
        if clients[index].pending > 0 { return }
        let messages = try nextRequests(of: load)
        load.send(messages, over: index)
        clients[index].requests += 1
        clients[index].pending = messages.count
        // Some clients leave before they have an answer.
        if random.next() % 16 == 0 { clients[index].requests = Self.requestsPerConnection }
    }

    private mutating func nextRequests(of load: StallLoad) throws(CommandError) -> [ClientMessage] {
        number += 1_000
        let first = UInt64(number)
        let place = StallLoad.other.appending(StallLoad.key("m", number))
        switch random.next() % 8 {
        case 0:
            return try (0..<20).map { index throws(CommandError) in
                let query = try load.order("none\(number + index)")
                return .listen(id: first + UInt64(index), path: StallLoad.list, query: query)
            }
        case 1:
            let writes = (0..<load.scaled(20_000)).map { index in
                Write(
                    path: Path([StallLoad.key("p", index), StallLoad.number]), value: .integer(1))
            }
            return [
                .merge(id: first, path: place, writes: writes),
                .put(id: first + 1, path: place, value: .null),
            ]
        case 2:
            return try (0..<100).map { index throws(CommandError) in
                let query = try load.window(from: load.records + number + index)
                return .listen(id: first + UInt64(index), path: StallLoad.list, query: query)
            }
        case 3: return [.get(id: first, path: StallLoad.list)]
        case 4: return [.get(id: first, path: StallLoad.list, query: try load.order("text"))]
        case 5: return [.listen(id: first, path: StallLoad.list)]
        case 6:
            let text = Value.string(String(repeating: "a", count: load.scaled(1_000_000)))
            return [
                .put(id: first, path: place, value: text),
                .put(id: first + 1, path: place, value: .null),
            ]
        default:
            let text = Value.string(String(repeating: "a", count: load.scaled(100_000)))
            return [.onDisconnect(id: first, path: place, value: text)]
        }
    }
}
