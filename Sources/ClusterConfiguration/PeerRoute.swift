/// Two endpoints by which one node reaches another, for example through a tunnel or a forwarded port.
///
/// They only say where to connect. A node listens at its own endpoints and names those in its heartbeats. Peers
/// check those and its key, whatever the route.
public struct PeerRoute: Equatable, Sendable {
    /// The endpoint that answers.
    public var requests: String
    /// The endpoint that publishes.
    public var updates: String

    package init(requests: String, updates: String) {
        self.requests = requests
        self.updates = updates
    }
}

/// A route as it is written, an entry of `via`.
struct RouteDocument: StrictlyDecodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case requests, updates
    }

    let requests: String
    let updates: String
}

extension NodeConfiguration {
    /// Checks that routes begin at other nodes of the cluster, and stay on this machine unless they are encrypted.
    ///
    /// - Throws: what is wrong first, naming both nodes and the key.
    func checkRoutes(to node: Member, for exposure: Exposure) throws(NodeError) {
        for (peer, route) in node.routes.sorted(by: { $0.key < $1.key }) {
            guard peer != node.id, nodes.contains(where: { $0.id == peer }) else {
                let others = nodes.map(\.id).filter { $0 != node.id }
                throw NodeError(
                    problem:
                        #""via" of node \#(node.id) has "\#(peer)", which is not another node"#,
                    fix: others.isEmpty
                        ? #"leave out "via""# : "use one of \(others.joined(separator: ", "))")
            }
            for (key, endpoint) in [("requests", route.requests), ("updates", route.updates)] {
                let place = #""\#(key)" of node \#(node.id) via \#(peer)"#
                guard let address = Address(endpoint, scheme: "tcp") else {
                    throw NodeError(
                        problem: #"\#(place) is not a tcp:// address: "\#(endpoint)""#,
                        fix: "write tcp://HOST:PORT, such as tcp://127.0.0.1:7400")
                }
                if exposure == .network || address.isLoopback || hasKeys { continue }
                throw NodeError(
                    problem: "\(place) leaves this machine unencrypted: \(endpoint)",
                    fix:
                        "give all nodes keys (`hearth keys new`); or use 127.0.0.1; or start with --insecure "
                        + "if everyone on the way may read and write everything")
            }
        }
    }
}
