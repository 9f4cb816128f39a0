import DataTree
import ReplicaCore
import Store
import SyncProtocol

// The evidence for the checks, once a run is over.

extension Evidence {
    init(of run: SimulatedRun) {
        self.init(
            run.scenario, run.record.history, run.record.recording, nodes: Evidence.nodes(of: run),
            losses: run.record.losses, crashes: run.record.crashes)
        readClients(of: run)
        // A node that is gone for good ended with its connections.
        smallRequests = run.nodes.compactMap { node in
            node.smallRequests.map { (node.name, $0) }
        }
        ports = run.nodes.indices.filter { !run.nodes[$0].isAbandoned }.compactMap {
            Evidence.port(of: $0, in: run)
        }
        access = run.access
        if run.scenario.checks.contains(.rulesConverge) { rulesProblem = run.rulesProblem }
        connections = run.connections
        sessionEnds = run.record.sessionEnds
        refusals = run.record.refusals
        starts = run.record.starts
        duplicateNodes = run.record.duplicateNodes
        comparisons = run.nodes.map { node in
            var counters = node.pastCounters
            if let replica = node.replica { counters.add(replica.counters) }
            return (node.name, counters.comparedTrees, counters.differingTrees)
        }
        watches = run.watches
        archive = run.record.archive
        converged = run.quiescence.converged
        unrest = run.quiescence.unrest
    }

    /// Reads what the clients observed, with their state at the end.
    private mutating func readClients(of run: SimulatedRun) {
        sdkClients = run.clients(of: SDKClient.self).map { client in
            var client = client
            client.streams = run.finished(client.streams, at: client.node)
            return client
        }
        for client in sdkClients {
            for writer in client.formerWriters + [client.writer] {
                clientWriters[writer] = client.index
            }
        }
        listeners = sdkClients.compactMap { client in
            client.listening.map {
                Listener(
                    name: "c\(client.index + 1)",
                    node: client.node.map { run.nodes[$0].name } ?? "", listening: $0)
            }
        }
        programs = applications.map { ($0.index, $0.streams) }
        programs += run.clients(of: FirebaseClient.self).map {
            ($0.index, run.finished($0.streams, at: $0.node))
        }
        httpTallies = run.clients(of: RestClient.self).map { ($0.index, $0.tally) }
        httpTallies += run.clients(of: StreamClient.self).map { client in
            var client = client
            let tree = run.nodes[client.node].replica?.value ?? .null
            if let problem = client.problem(showing: tree, at: run.now, since: run.scenario.until) {
                client.report(problem)
            }
            return (client.index, client.tally)
        }
    }

    /// The actual and the necessary memory of the gateway of a node; nil while there is no process.
    private static func port(of node: Int, in run: SimulatedRun) -> Port? {
        guard let usage = run.nodes[node].gatewayUsage else { return nil }
        let live = run.connections.filter { connection in
            guard let port = connection.port, connection.node == node else { return false }
            return port.isOpen && !port.isClosed
                && connection.incarnation == run.nodes[node].incarnation
        }
        let realtime = live.count { run.clients[$0.client].mayHaveRealtimeSession }
        return Port(
            node: run.nodes[node].name, usage: usage,
            wasUsed: run.nodes[node].hasHadConnections, connections: live.count, realtime: realtime,
            polling: run.clients(of: FirebaseClient.self).count { $0.node == node && $0.hasPolls },
            hasGoneClients: live.contains(where: \.isBroken))
    }

    private static func nodes(of run: SimulatedRun) -> [Node] {
        var decoded: (entries: [LogEntry], operations: [Operation])?
        return run.nodes.filter(\.belongs).map { node in
            let entries = run.record.archive.batches(in: node.replica?.vector ?? VersionVector())
            // Mostly all logs are equal, and need be read only once.
            if decoded?.entries != entries { decoded = (entries, operations(in: entries)) }
            return Node(
                name: node.name, value: node.replica?.value ?? .null, vector: node.replica?.vector,
                writer: node.replica?.writer, operations: decoded?.operations ?? [],
                diskFailure: diskFailure(of: node))
        }
    }

    /// The difference between a node's process and the next process on its disk; nil if there is none.
    static func difference(
        between replica: Replica, and next: Replica, of name: String
    ) -> String? {
        if next.vector != replica.vector {
            return "\(name) holds \(replica.vector.line), and its disk \(next.vector.line)"
        }
        if next.value == replica.value { return nil }
        let difference = TreeDifference(replica.value, next.value)
        return "\(name) shows something else than its disk gives: \(difference)"
    }

    /// Reads a disk as the next process would.
    private static func diskFailure(of node: VirtualNode) -> String? {
        do throws(MemoryTables.Failure) {
            guard let replica = node.replica, let restarted = try node.restarted(),
                let next = restarted.replica
            else { return nil }
            if let contradiction = restarted.disk.contradiction {
                return "\(node.name): \(contradiction)"
            }
            return difference(between: replica, and: next, of: node.name)
        } catch {
            return "what is on the disk of \(node.name) cannot be read: \(error)"
        }
    }
}

extension SimulatedRun {
    /// The streams of a client, compared at the end with the tree of its node.
    fileprivate func finished(_ streams: [EventStream], at node: Int?) -> [EventStream] {
        var streams = streams
        let value = node.flatMap { nodes[$0].replica?.value } ?? .null
        for index in streams.indices { streams[index].finish(showing: value) }
        return streams
    }
}
