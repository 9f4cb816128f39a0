import DataTree
import ReplicaCore
import SyncProtocol

// Unrequested verdicts on transactions, sent to copies of replicas.

extension RequestProbes {
    /// A verdict of a member that never was a coordinator refuses no transaction.
    mutating func probeVerdicts(
        of node: Int, _ replica: Replica, at moment: Moment, in run: inout SimulatedRun
    ) {
        let names = run.clients(of: SDKClient.self).filter {
            $0.node == node && $0.connection != nil
        }
        .flatMap { $0.transactions.values }.sorted()
        guard let name = names.first, let bystander = memberWithoutLease(besides: node, in: &run)
        else {
            return
        }
        let verdict = TransactionDecision(name, .changed, basis: VersionVector())
        var copy = replica
        let outputs = copy.execute([
            .turnBegan(moment), .answered(PeerMessage.decided([verdict]).frame, from: bystander),
            .turnEnded,
        ])
        count += 1
        let isRefused = outputs.contains { output in
            guard case .reply(_, let frame) = output else { return false }
            let messages = (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
            return messages.contains { message in
                if case .message(.error(_, .changed, _, _)) = message { true } else { false }
            }
        }
        guard isRefused else { return }
        failure =
            "\(node.nodeName) at \(run.now.description) would tell a client that its transaction \(name) is refused because "
            + "\(bystander) says so, which has never decided any"
    }

    /// A member that has never stood for election.
    private func memberWithoutLease(besides node: Int, in run: inout SimulatedRun) -> String? {
        run.nodes.first { peer in
            peer.index != node && peer.belongs
                && !run.record.recording.announcements.candidates.contains(peer.index)
                && run.nodes[node].replica?.coordinatorMember != peer.name
        }?.name
    }
}
