public import ClusterConfiguration
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
        guard let files = http.files, let address = HTTPAddress(member.client) else { return }
        _ = try ServerCertificate(files, at: address) { _ in }
    }
}
