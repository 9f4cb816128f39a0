public import ClusterConfiguration
internal import EventLoop
internal import Sockets
public import ZeroMQ

extension NodeConfiguration {
    /// Checks everything that files decide about the start of a node: this description, the node's own key, its certificate
    /// and the keys of tokens.
    ///
    /// - Throws: the first mistake. It lasts until someone changes a file.
    public func checkStart(
        of id: String, keys: KeyPair?, exposure: Exposure
    ) throws(NodeError) {
        try check(for: exposure)
        let member = try member(id)
        try check(keys, of: member)
        if !tokens.isEmpty { _ = try TokenKeys(tokens) { _ in } }
        _ = try certificate(of: member)
    }

    /// The mistakes with which a node starts, although clients or peers may not reach it: its certificate and the names of nodes.
    ///
    /// - Complexity: Looks up all names, which may take seconds.
    public func startWarnings(of id: String) throws(NodeError) -> [NodeError] {
        let member = try member(id)
        let second = Int(Loop.wallClockMilliseconds / 1_000)
        return try (certificate(of: member)?.warnings(atSecond: second) ?? [])
            + unknownNames(for: member)
    }

    private func certificate(of member: Member) throws(NodeError) -> ServerCertificate? {
        guard let files = http.files, let address = HTTPAddress(member.client) else { return nil }
        return try ServerCertificate(files, at: address, publicName: member.publicName) { _ in }
    }

    private func unknownNames(for member: Member) -> [NodeError] {
        let peers = nodes.filter { $0.id != member.id }
        let endpoints = peers.flatMap { peer in
            let route = peer.route(from: member.id)
            return [(peer.id, route.requests), (peer.id, route.updates)]
        }
        var known: Set<String> = []
        return endpoints.compactMap { peer, text in
            let endpoint = NodeEndpoint(text)
            guard !endpoint.isNumeric, known.insert(endpoint.host).inserted,
                (try? HTTPAddress("http://\(endpoint.host):1")?.resolved()) == nil
            else { return nil }
            return NodeError(
                problem: "cannot find \(endpoint.host), the host of \(peer)",
                fix: "check the name; nodes look it up again until they find it")
        }
    }
}
