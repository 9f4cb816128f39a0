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
        isEmulator = description.isEmulator
        redirectHost = description.publicHost(after: member.id)
        if !description.secrets.isEmpty {
            secrets = SecretHashes(description.secrets, by: SHA256.hash)
        }
    }
}
