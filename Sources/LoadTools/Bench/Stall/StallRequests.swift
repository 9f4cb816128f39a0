internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import QueryEngine
internal import SyncProtocol

// The requests of each row.

extension StallLoad {
    /// Writes the data of a row, and connects its clients.
    mutating func prepare(
        _ row: StallRow, progress: (String) -> Void
    ) throws(CommandError) {
        let total = records
        switch row {
        case .rules, .patch, .onDisconnect, .peerPorts, .unread: break
        default:
            try BulkLoad(list: Self.list, records: records).run(
                at: cluster.addresses[0],
                progress: { progress("\($0) of \(total) records written") },
                record: StallLoad.record)
        }
        switch row {
        case .rules:
            try RulesBenchmark.set(Self.expensiveRules, of: cluster)
            try connect(1, showing: RulesBenchmark.token(of: "eve"))
        case .windows:
            try connect(scaled(25_000) / Self.listensPerConnection + 1)
            // The order has its index before clients come back.
            try ask([.get(id: 1, path: Self.list, query: try window(from: records))])
        case .onDisconnect: try connect(scaled(74) + 1)
        case .unread: try prepareUnread()
        case .mixed: try connect(StallMixture.clientCount)
        default: try connect(1)
        }
    }

    /// Sends the requests of a row, and waits for their answers.
    mutating func send(_ row: StallRow) throws(CommandError) {
        switch row {
        case .orders: try ask(try orders(scaled(600)))
        case .leave:
            send(try orders(scaled(5_000)))
            disconnect()
        case .patch:
            let writes = (0..<scaled(100_000)).map { number in
                Write(path: Path([Self.key("p", number), Self.number]), value: .integer(1))
            }
            try ask([.merge(id: 1, path: Self.other, writes: writes)])
            try ask([.put(id: 2, path: Self.other, value: .null)])
        case .rules:
            let text = String(repeating: "a", count: 15_000)
            try ask(
                (1...scaled(60)).map {
                    .put(id: UInt64($0), path: Self.other, value: .string(text))
                })
        case .windows: try sendWindows()
        case .remove: try ask([.put(id: 1, path: Self.list, value: .null)])
        case .read: try ask([.get(id: 1, path: Self.list)])
        case .order: try ask(try [.get(id: 1, path: Self.list, query: order("text"))])
        case .listen: try ask([.listen(id: 1, path: Self.list)])
        case .peerPorts: try sendIdle()
        case .onDisconnect: try sendOnDisconnect()
        case .unread: sendUnread()
        case .ranges: try ask(try ranges(scaled(20)))
        case .conditions:
            try ask(
                (1...scaled(30)).map {
                    .put(
                        id: UInt64($0), path: Self.list, value: .null,
                        condition: Condition(Self.wrongHash))
                })
        case .mixed:
            var mixture = StallMixture()
            try mixture.run(for: seconds, over: &self)
            disconnect()
        }
    }

    private mutating func ask(_ messages: [ClientMessage]) throws(CommandError) {
        send(messages)
        try receive(messages.count)
    }

    static func key(_ prefix: String, _ number: Int) -> Key {
        Key(unchecked: "\(prefix)\(number)")
    }

    static func record(_ number: Int) -> Value {
        var record = Children()
        record[Key(unchecked: "author")] = .string("client-\(number % 8)")
        record[StallLoad.number] = .integer(Int64(number))
        record[Key(unchecked: "text")] = .string("a message of the length that people type")
        return Value(record)
    }
}

// MARK: - Hashes

extension StallLoad {
    /// The hash of no value of this benchmark.
    private static let wrongHash = DataHash(text: String(repeating: "A", count: 27) + "=")

    /// Listens of a client that holds something else than the list, which is compared range by range.
    private func ranges(_ count: Int) throws(CommandError) -> [ClientMessage] {
        let posts = (0..<scaled(10_000)).map { Path([Self.key("r", $0)]) }.sorted()
        let hashes = Array(repeating: Self.wrongHash.text, count: posts.count) + [""]
        do throws(DataError) {
            let ranges = try CompoundHash(posts: posts, hashes: hashes)
            return (1...count).map {
                .listen(
                    id: UInt64($0), path: Self.list,
                    held: HeldData(hash: Self.wrongHash, ranges: ranges))
            }
        } catch {
            throw CommandError(error)
        }
    }
}

// MARK: - Queries

extension StallLoad {
    private static let listensPerConnection = 100

    func order(_ child: String) throws(CommandError) -> Query {
        do throws(DataError) {
            return try Query().ordered(byChild: child).limited(toLast: 10)
        } catch {
            throw CommandError(error)
        }
    }

    func window(from number: Int) throws(CommandError) -> Query {
        do throws(DataError) {
            return try Query().ordered(byChild: "n").starting(at: .integer(Int64(number)))
        } catch {
            throw CommandError(error)
        }
    }

    /// Listens by orders that no record has.
    private func orders(_ count: Int) throws(CommandError) -> [ClientMessage] {
        var messages: [ClientMessage] = []
        for number in 0..<count {
            messages.append(
                .listen(
                    id: UInt64(number) + 1, path: Self.list, query: try order("none\(number)")))
        }
        return messages
    }

    private mutating func sendWindows() throws(CommandError) {
        let count = scaled(25_000)
        for first in stride(from: 0, to: count, by: Self.listensPerConnection) {
            var messages: [ClientMessage] = []
            for number in first..<min(count, first + Self.listensPerConnection) {
                let query = try window(from: records + number)
                messages.append(.listen(id: UInt64(number) + 2, path: Self.list, query: query))
            }
            send(messages, over: first / Self.listensPerConnection)
        }
        try receive(count)
    }
}

// MARK: - Limits

extension StallLoad {
    /// The text keeps all states of the expression busy until its limit of work is reached.
    private static let expensiveRules = """
        {"rules": {"bench": {"other": {
          ".write": true, ".validate": "newData.val().matches(/(a?){900}x/)"
        }}}}
        """

    private mutating func sendIdle() throws(CommandError) {
        let node = cluster.cluster.file.nodes[0]
        let count = allowedConnections(scaled(20_000))
        openIdle(count / 2, toPortOf: node.requests)
        openIdle(count / 2, toPortOf: node.updates)
        pause(milliseconds: 3_000)
        try StopRequest.check()
        closeIdle()
    }

    /// The last connection is of a client with one small write, which the others must not crowd out.
    private mutating func sendOnDisconnect() throws(CommandError) {
        let count = scaled(74)
        let text = String(repeating: "a", count: 100_000)
        for index in 0..<count {
            let messages: [ClientMessage] = (1...9).map { number in
                let key = Self.key("c\(index)-", number)
                return .onDisconnect(
                    id: UInt64(number), path: Self.other.appending(key), value: .string(text))
            }
            send(messages, over: index)
        }
        try receive(9 * count)
        let others = refused
        let path = Self.other.appending(Key(unchecked: "small"))
        send([.onDisconnect(id: 1, path: path, value: .boolean(false))], over: count)
        try receive(1)
        guard refused == others else {
            throw CommandError(
                .unavailable, "an on-disconnect write of 1 byte was refused, as others have many",
                fix: "look at the logs of the nodes with `hearth cluster logs`")
        }
    }

    private mutating func prepareUnread() throws(CommandError) {
        try connect(scaled(300) + 1)
        let part = Value.string(String(repeating: "a", count: max(10, scaled(1_000_000))))
        let messages: [ClientMessage] = (1...10).map { number in
            .put(
                id: UInt64(number), path: Self.other.appending(Self.key("part", number)),
                value: part)
        }
        try ask(messages)
        shrinkBuffers()
    }

    private func sendUnread() {
        let reads: [ClientMessage] = (1...50).map { .get(id: UInt64($0), path: Self.other) }
        for index in 1...scaled(300) { send(reads, over: index) }
        pause(milliseconds: 3_000)
    }
}
