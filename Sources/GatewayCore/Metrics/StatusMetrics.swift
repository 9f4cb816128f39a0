internal import HTTPText
internal import SyncProtocol

// The metrics of `/metrics`: a replica's status and the gateway's own counts. No label names a location.

extension GatewayContext {
    /// The answer to a read of `/metrics`.
    func metricsAnswer(_ status: NodeStatus) -> Answer {
        var text = MetricsText()
        text.append(
            "serving", .gauge, "1 if the node serves clients.",
            availability == .serving ? 1 : 0)
        text.append(
            "storage_works", .gauge, "1 if the disk accepts writes.",
            status.identity.storage == NodeStatus.storageWorks ? 1 : 0)
        text.append(status.data, status.identity)
        text.append(status.exchange)
        text.appendTrees(status)
        text.append(status.queues)
        text.append(status.clients)
        if let process = status.process { text.append(process) }
        appendDatabases(to: &text)
        metrics.append(to: &text)
        text.append(
            "denied_total", .counter,
            "Requests without a valid secret or token, and messages with an invalid one.",
            Int(clamping: refusalCount))
        return Answer(
            AnswerText(Array(text.text.utf8)), type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

extension GatewayMetrics {
    fileprivate func append(to text: inout MetricsText) {
        text.begin("connections", .gauge, "Open connections to the HTTP port, by activity.")
        for kind in ConnectionKind.allCases {
            text.append(connections[kind] ?? 0, ["kind": kind.rawValue])
        }
        text.begin("http_requests_total", .counter, "Answered requests.")
        for request in requestCounts {
            text.append(
                Int(clamping: request.count),
                ["method": request.method, "code": String(request.status)])
        }
        text.begin(
            "realtime_sessions_ended_total", .counter,
            "Ended sessions of Firebase's protocol, by reason.")
        for reason in SessionEnd.Reason.allCases {
            text.append(Int(clamping: ends[reason]), ["reason": reason.rawValue])
        }
        text.append("turn_seconds", "The durations of the node's turns.", turns)
        text.append(
            "ack_seconds", "The durations of writes over REST until their answers.",
            acknowledgements)
    }
}

extension MetricsText {
    /// The most origins that are shown one by one; the others are counted together.
    private static let originsShown = 50

    fileprivate mutating func append(_ data: NodeStatus.Data, _ identity: NodeStatus.Identity) {
        begin("operations_total", .counter, "Operations applied, by the node that made them.")
        let origins = data.held.sorted { $0.key < $1.key }
        for (origin, count) in origins.prefix(MetricsText.originsShown) {
            append(count, ["origin": origin])
        }
        if origins.count > MetricsText.originsShown {
            let rest = origins.dropFirst(MetricsText.originsShown)
            append(rest.reduce(0) { $0 + $1.value }, ["origin": "others"])
        }
        append(
            "lag_operations", .gauge, "Operations that the peer with most has and this node lacks.",
            data.lag)
        append(
            "registers", .gauge, "Locations that a late write could still change.", data.registers)
        append("log_operations", .gauge, "Operations in the log.", data.loggedOperations)
        append(
            "log_operations_limit", .gauge,
            "The number of operations above which the log no longer waits for silent members.",
            data.loggedOperationsLimit)
        begin("stable_age_seconds", .gauge, "The age of the stable time.")
        append(Double(max(0, identity.wallMilliseconds - data.stableMilliseconds)) / 1000)
    }

    fileprivate mutating func append(_ exchange: NodeStatus.Exchange) {
        let counters: [(name: String, help: String, value: Int)] = [
            ("accepted_total", "Operations of this node's clients.", exchange.accepted),
            ("received_total", "Operations of peers that were applied.", exchange.received),
            ("repaired_total", "Operations requested from peers.", exchange.repaired),
            ("repaired_bytes_total", "Bytes requested from peers.", exchange.repairedBytes),
            ("duplicates_total", "Operations received more than once.", exchange.duplicates),
            (
                "overwritten_total",
                "Writes that had lost against a concurrent write when this node applied them.",
                exchange.overwritten
            ),
            (
                "dropped_total", "Operations dropped because too many were waiting.",
                exchange.dropped
            ),
            (
                "malformed_frames_total", "Frames of peers that could not be read.",
                exchange.malformedFrames
            ),
        ]
        for counter in counters { append(counter.name, .counter, counter.help, counter.value) }
        let refused = exchange.refusedCheckpoints.sorted { $0.key < $1.key }
        if !refused.isEmpty {
            begin(
                "refused_checkpoint_operations", .gauge,
                "Operations that a refused checkpoint of a peer would lose.")
        }
        for (peer, count) in refused { append(count, ["peer": peer]) }
        begin(
            "peer_heard_age_seconds", .gauge, "Seconds since the last heartbeat of each live peer.")
        for (peer, milliseconds) in exchange.connectedPeers.sorted(by: { $0.key < $1.key }) {
            append(Double(milliseconds) / 1000, ["peer": peer])
        }
        let isConnected = exchange.connectedPeers.mapValues { _ in 1 }
            .merging(exchange.silentPeers.mapValues { _ in 0 }) { connected, _ in connected }
        begin("peer_connected", .gauge, "1 for each peer with a heartbeat in the last two seconds.")
        for (peer, value) in isConnected.sorted(by: { $0.key < $1.key }) {
            append(value, ["peer": peer])
        }
    }

    /// Appends the results of the comparisons of trees with those of peers.
    fileprivate mutating func appendTrees(_ status: NodeStatus) {
        var differing = status.process?.differingDatabases.mapValues { $0.keys.sorted() } ?? [:]
        differing["default"] = status.exchange.differingTrees.keys.sorted()
        append(
            "tree_differences", .gauge,
            "Pairs of a database and a peer that shows other data in it after the same operations.",
            differing.values.reduce(0) { $0 + $1.count })
        if differing.values.contains(where: { !$0.isEmpty }) {
            begin("tree_differs", .gauge, "1 for each of these pairs.")
        }
        for (database, peers) in differing.sorted(by: { $0.key < $1.key }) {
            for peer in peers { append(1, ["database": database, "peer": peer]) }
        }
        begin(
            "tree_compared_age_seconds", .gauge,
            "Seconds since the tree of the default database was compared with that of a peer.")
        for (peer, milliseconds) in status.exchange.comparedTrees.sorted(by: { $0.key < $1.key }) {
            append(Double(milliseconds) / 1000, ["peer": peer])
        }
    }

    fileprivate mutating func append(_ queues: NodeStatus.Queues) {
        let gauges: [(name: String, help: String, value: Int)] = [
            ("gaps", "Writers with missing operations.", queues.gaps),
            ("waiting_batches", "Batches that wait for earlier ones.", queues.waitingBatches),
            ("waiting_batches_limit", "The limit of the waiting ones.", queues.waitingBatchesLimit),
            ("waiting_bytes", "The bytes of these batches.", queues.waitingBytes),
            ("waiting_bytes_limit", "The limit of their bytes.", queues.waitingBytesLimit),
            ("pending_turns", "Turns that are not durable yet.", queues.pendingTurns),
        ]
        for gauge in gauges { append(gauge.name, .gauge, gauge.help, gauge.value) }
    }

    fileprivate mutating func append(_ clients: NodeStatus.Clients) {
        append("refused_total", .counter, "Requests that were refused.", clients.refused)
        begin(
            "limited_total", .counter,
            "Requests that a limit of the node refused or delayed, by limit.")
        for (limit, count) in clients.limited.sorted(by: { $0.key < $1.key }) {
            append(count, ["limit": limit])
        }
        let gauges: [(name: String, help: String, value: Int)] = [
            ("sessions", "Native clients that can continue at another node.", clients.sessions),
            ("listens", "Open listens.", clients.listens),
            ("views", "Different windows of queried locations.", clients.queries.views),
            ("index_bytes", "The memory of indexes.", clients.queries.indexBytes),
            (
                "index_bytes_limit", "The limit of the memory of indexes.",
                clients.queries.indexByteLimit
            ),
            ("index_builds", "Indexes that are being built.", clients.queries.builds),
            (
                "unindexed_listens", "Windows without an index, because there was no room.",
                clients.queries.unindexedListens
            ),
            ("slow_clients", "Clients whose listens wait for them.", clients.clientsBehind),
        ]
        for gauge in gauges { append(gauge.name, .gauge, gauge.help, gauge.value) }
    }

    fileprivate mutating func append(_ process: NodeStatus.Process) {
        let gauges: [(name: String, help: String, value: Int)] = [
            ("log_bytes", "The bytes of the operations in the log.", process.logBytes),
            ("storage_backlog", "Turns that wait for the disk.", process.storageBacklog),
            (
                "storage_backlog_limit", "The limit of the waiting ones.",
                process.storageBacklogLimit
            ),
            ("waiting_reply_bytes", "Bytes that wait for clients.", process.waitingReplyBytes),
        ]
        for gauge in gauges { append(gauge.name, .gauge, gauge.help, gauge.value) }
        append(
            "unread_clients_total", .counter,
            "Connections that were ended because their clients read too slowly.",
            process.slowClients)
        if let bytes = process.databaseBytes {
            append("database_bytes", .gauge, "The database with its write-ahead log.", bytes)
        }
        if let count = process.databases {
            append("databases", .gauge, "Databases, with the default one.", count)
        }
        if let count = process.awakeDatabases {
            append("databases_awake", .gauge, "Databases that do not sleep.", count)
        }
        if let count = process.unreadyDatabases {
            append(
                "databases_unready", .gauge,
                "Named databases that are not in order at this node: they start, move or lack operations.",
                count)
        }
        if let bytes = process.diskFreeBytes {
            append("disk_free_bytes", .gauge, "Free space on the disk of the database.", bytes)
        }
        if let count = process.peerConnections {
            append("peer_connections", .gauge, "Connections to the ports for peers.", count)
        }
        if let count = process.cutPeerConnections {
            append(
                "peer_connections_cut_total", .counter,
                "Connections to the ports for peers that were cut before they authenticated.", count
            )
        }
        if let milliseconds = process.cpuMilliseconds {
            begin(process: "cpu_seconds_total", .counter, "Processor time of all threads.")
            append(Double(milliseconds) / 1000)
        }
        if let bytes = process.residentBytes {
            begin(process: "resident_memory_bytes", .gauge, "Resident memory.")
            append(bytes)
        }
        begin(process: "open_fds", .gauge, "Open files and connections.")
        append(process.openFiles)
        begin(process: "max_fds", .gauge, "The limit of open files and connections.")
        append(process.openFilesLimit)
    }
}
