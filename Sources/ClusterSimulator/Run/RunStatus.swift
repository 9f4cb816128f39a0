import ReplicaCore
import SyncProtocol

// Whether the status of a node tells what the run knows of it. Times and sizes that only the node knows are left out.

extension SimulatedRun {
    /// The first wrong report of a node about itself; nil if all are right.
    var statusProblem: String? {
        let others = nodes.lazy.filter { $0.belongs && !self.quiescence.freed.contains($0.index) }
        return others.compactMap { self.statusProblem(of: $0) }.first ?? forgottenRefusal
    }

    /// The wrong report of a node about itself.
    func statusProblem(of node: VirtualNode) -> String? {
        guard let replica = node.replica else { return nil }
        return problem(of: replica.status, from: node, replica).map {
            "the status of \(node.name) says \($0)"
        }
    }

    /// Some node has refused the last process that came under the name of another, or one that went on longer, and says so until it
    /// ends.
    var forgottenRefusal: String? {
        guard let last = record.duplicateNodes.last, last.ended != nil else { return nil }
        let name = nodes[last.node].name
        let names = Set(
            record.duplicateNodes.filter { ($0.ended ?? .max) > last.started }.map {
                nodes[$0.node].name
            })
        let others = nodes.filter { $0.index != last.node }
        guard others.allSatisfy({ $0.startedAt < last.started }) else { return nil }
        let refused = others.compactMap(\.replica).flatMap(\.status.exchange.refusedNodes.values)
        if refused.contains(where: { names.contains($0.member) && $0.count > 0 }) { return nil }
        return "no status says that a second \(name) was refused"
    }

    private func problem(
        of status: NodeStatus, from node: VirtualNode, _ replica: Replica
    ) -> String? {
        guard (try? NodeStatus(status.value)) == status else {
            return "something else once it is read back"
        }
        return problem(of: status.identity, status.data, from: node, replica)
            ?? problem(of: status.exchange, from: node)
            ?? problem(of: status.membership, replica)
            ?? problem(of: status.queues)
            ?? problem(of: status.clients, from: node)
    }

    private func problem(
        of identity: NodeStatus.Identity, _ data: NodeStatus.Data, from node: VirtualNode,
        _ replica: Replica
    ) -> String? {
        if identity.member != node.name { return "that it is \(identity.member)" }
        if identity.storage != NodeStatus.storageWorks { return "that its disk takes nothing" }
        if data.operations != Int(clamping: replica.vector.total) {
            return
                "that it holds \(data.operations) operations, and it holds \(replica.vector.total)"
        }
        // A node that is gone for good may have held what it never sent.
        if data.lag != 0, !nodes.contains(where: \.isAbandoned) {
            return "that it lacks \(data.lag) operations"
        }
        for other in nodes where other.belongs {
            guard let writer = other.replica?.writer else { continue }
            let held = Int(clamping: replica.vector[writer])
            if data.held[other.name] ?? 0 != held {
                return
                    "that it holds \(data.held[other.name] ?? 0) operations of \(other.name), not \(held)"
            }
            if data.writers[other.name] != writer.description {
                return
                    "that \(other.name) writes as \(data.writers[other.name] ?? "nobody"), not \(writer)"
            }
        }
        return nil
    }

    private func problem(
        of exchange: NodeStatus.Exchange, from node: VirtualNode
    ) -> String? {
        let others = nodes.filter { $0.belongs && $0.index != node.index }.map(\.name)
        if exchange.connectedPeers.keys.sorted() != others {
            return "that it hears \(exchange.connectedPeers.keys.sorted()), and not \(others)"
        }
        if let name = others.first(where: { exchange.silentPeers[$0] != nil }) {
            return "that \(name) is silent"
        }
        // Operations that a lost node announced may exist nowhere.
        let mayMiss = nodes.contains(where: \.isAbandoned)
        if !mayMiss, let name = exchange.refusedCheckpoints.keys.min() {
            return "that it refuses the checkpoint of \(name), and it misses nothing"
        }
        // Frames also lack the data that a disk has lost or damaged.
        let mayBeMalformed = network.counts.damaged > 0 || record.statistics.diskTroubles > 0
        if !mayBeMalformed, exchange.malformedFrames > 0 {
            return
                "that \(exchange.malformedFrames) frames were malformed, and all came as they were sent"
        }
        let accepted = record.recording.issuedCount(by: node.index, incarnation: node.incarnation)
        if record.recording.isOn, exchange.accepted != accepted {
            return "that it accepted \(exchange.accepted) operations, and it made \(accepted)"
        }
        return nil
    }

    private func problem(
        of membership: NodeStatus.Membership, _ replica: Replica
    ) -> String? {
        if membership.isEvicted { return "that it is evicted" }
        if membership.orphanedBatches > 0 {
            return "that \(membership.orphanedBatches) orphaned batches wait"
        }
        let names = nodes.filter(\.belongs).map(\.name)
        let open = replica.evictions.first { eviction in
            names.contains(eviction.member) && (eviction.stage == .out || eviction.stage == .back)
        }
        return open.map {
            "that an eviction of \($0.member) is \($0.stage), and \($0.member) has rejoined"
        }
    }

    private func problem(of queues: NodeStatus.Queues) -> String? {
        // The predecessors of a lost node's batch may exist nowhere.
        let fillsGaps = !nodes.contains(where: \.isAbandoned)
        let gaps = [
            ("gaps", queues.gaps), ("batches", queues.waitingBatches),
            ("bytes", queues.waitingBytes),
        ]
        let waiting =
            (fillsGaps ? gaps : []) + [
                ("turns", queues.pendingTurns), ("write concerns", queues.waitingForConcern),
                ("transactions", queues.waitingTransactions),
                ("stable times", queues.waitingForStable),
            ]
        return waiting.first { $0.1 != 0 }.map { "that \($0.1) \($0.0) wait" }
    }

    private func problem(
        of clients: NodeStatus.Clients, from node: VirtualNode
    ) -> String? {
        let own = connections.filter {
            $0.node == node.index && $0.incarnation == node.incarnation && !$0.isBroken
        }
        // Such a connection stays until its node notices.
        if own.contains(where: \.isGone) { return nil }
        let leavesWrites = own.contains { !$0.onDisconnect.writes.isEmpty }
        let isVague = own.contains(where: \.onDisconnect.isVague) || !record.recording.isOn
        if !isVague, self.clients(of: FirebaseClient.self).isEmpty,
            leavesWrites != (clients.disconnectBytes > 0)
        {
            return "that on-disconnect writes have \(clients.disconnectBytes) bytes"
        }
        let refused = record.history.refusals.count {
            $0.node == node.index && $0.time > node.startedAt
        }
        if clients.refused < refused {
            return "that it refused \(clients.refused) requests, and \(refused) were"
        }
        // Sessions whose clients have gone to other nodes wait for the next poll.
        let mayBeBehind = node.gatewayUsage?.polledSessions ?? 0
        if clients.waitingClients > 0 || clients.clientsBehind > mayBeBehind {
            return "that \(clients.waitingClients + clients.clientsBehind) clients wait for data"
        }
        let served = self.clients(of: SDKClient.self).count { client in
            client.core.isConnected && client.connection.map { !connections[$0].isBroken } == true
                && client.node == node.index
        }
        return clients.sessions == served
            ? nil : "that it has \(clients.sessions) sessions, and \(served) clients use it"
    }
}
