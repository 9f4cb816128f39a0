internal import ClusterConfiguration
internal import GatewayCore
internal import TLS

extension GatewayConfiguration {
    /// What a configuration says of a node's port.
    init(_ description: NodeConfiguration, of member: NodeConfiguration.Member) {
        self.init()
        let settings = description.http
        hosts = settings.hosts + description.nodes.compactMap(\.publicName)
        origins = settings.origins
        limits.bodyBytes = settings.maxBodyMegabytes << 20
        redirectHost = description.publicHost(after: member.id)
        // Nobody can be a user where only secrets are known.
        admitsUsers = !description.tokens.isEmpty
        if !description.secrets.isEmpty {
            secrets = SecretHashes(description.secrets, by: SHA256.hash)
        }
    }
}
