internal import ClientConnection
internal import ClientCore
internal import ClusterConfiguration
package import CommandLineKit
internal import DataTree
package import Sockets
internal import SyncProtocol
internal import TLS

/// A cluster to observe: of a folder of this machine, whose processes are known, or of a configuration,
/// wherever its nodes are.
package struct ObservedCluster: Sendable {
    package struct Node: Sendable {
        package let id: String
        package let address: HTTPAddress
        /// The key by which its peers know it; nil where there are no keys.
        let publicKey: String?
        fileprivate let member: NodeConfiguration.Member

        /// The addresses at which a peer reaches it.
        func endpoints(from peer: String) -> [String] {
            let route = member.route(from: peer)
            return [route.requests, route.updates]
        }
    }

    package let name: String
    package let nodes: [Node]
    /// Nil if the nodes may be on other machines.
    package let local: Cluster?
    private let secret: Secret?

    package static let options = [
        NodeOptions.folder, NodeOptions.configuration, NodeOptions.secret, NodeOptions.token,
        NodeOptions.authority,
    ]

    package init(of invocation: Invocation) throws(CommandError) {
        secret = try NodeOptions.secret(of: invocation)
        guard let file = NodeOptions.configurationFile(of: invocation) else {
            let cluster = try Cluster(inFolder: NodeOptions.folder(of: invocation))
            local = cluster
            name = cluster.file.cluster
            nodes = try cluster.file.nodes.map { node throws(CommandError) in try Node(node) }
            return
        }
        local = nil
        let configuration = try NodeConfiguration(named: file)
        name = configuration.cluster
        let authority = NodeOptions.authorityFile(of: invocation)
        nodes = try configuration.nodes.map { node throws(CommandError) in
            try Node(node, trusting: authority)
        }
    }

    package init(_ cluster: Cluster) throws(CommandError) {
        secret = try cluster.credential()
        local = cluster
        name = cluster.file.cluster
        nodes = try cluster.file.nodes.map { node throws(CommandError) in try Node(node) }
    }

    /// Asks all nodes at once; those that do not answer within `limit` count as silent.
    ///
    /// The address decides, and not the file with the number of the process: that may be lost while the node serves.
    ///
    /// - Parameter patience: How much longer nodes may take that accept connections: they may be busy, for example with large rules.
    package func statuses(
        within limit: Duration = .seconds(1), patience: Duration = .zero
    ) -> [ObservedNode] {
        let observed = nodes.map { ($0, process(of: $0)) }
        let asked = observed.filter { _, process in process.map { !$0.isPaused } ?? true }.map(\.0)
        let probe = StatusProbe(showing: secret)
        let answers = probe.answers(of: asked.map(\.address), within: limit)
        var answersByID = Dictionary(uniqueKeysWithValues: zip(asked.map(\.id), answers))
        let busy = asked.filter { answersByID[$0.id]?.outcome.isConnectedSilence == true }
        if patience > .zero, !busy.isEmpty {
            let later = probe.answers(of: busy.map(\.address), within: patience)
            answersByID.merge(zip(busy.map(\.id), later)) { $1 }
        }
        return observed.map { node, process in
            let answer = answersByID[node.id]
            let isOther =
                local != nil && process == nil && isOther(answer?.outcome.report, than: node)
            return ObservedNode(
                node: node, process: process, isLocal: local != nil,
                answer: isOther ? .refused : answer?.outcome,
                delayMilliseconds: Int((answer?.delay ?? .zero) / .milliseconds(1)))
        }.withEvictions()
    }

    /// Whether the status is that of another node, which has the port of one that does not run.
    private func isOther(_ report: NodeStatus?, than node: Node) -> Bool {
        guard let identity = report?.identity else { return false }
        return identity.member != node.id || identity.cluster != name
    }

    private func process(of node: Node) -> NodeProcess? {
        guard let local, let node = local.file.nodes.first(where: { $0.id == node.id }) else {
            return nil
        }
        return local.process(of: node)
    }
}

extension ObservedCluster.Node {
    /// - Parameter authority: The file of the trusted authorities.
    fileprivate init(
        _ node: NodeConfiguration.Member, trusting authority: String? = nil
    ) throws(CommandError) {
        do throws(HearthError) {
            self.init(
                id: node.id,
                address: try HTTPAddress(node: node.client).trusting(authoritiesIn: authority),
                publicKey: node.publicKey?.description, member: node)
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }
}
