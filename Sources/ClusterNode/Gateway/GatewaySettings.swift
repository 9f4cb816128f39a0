internal import ClusterConfiguration
internal import GatewayCore
internal import TLS

extension GatewayConfiguration {
    /// The configuration of a node's gateway, with a new seed for the names of sessions.
    init(_ description: NodeConfiguration, of member: NodeConfiguration.Member) {
        self.init()
        var random = SystemRandomNumberGenerator()
        nameSeed = (0..<4).map { _ in String(random.next(), radix: 36) }.joined()
        let settings = description.http
        hosts =
            settings.hosts + description.nodes.compactMap(\.publicName)
            + description.nodes.compactMap(\.clientName)
        origins = settings.origins
        limits.bodyBytes = settings.maxBodyMegabytes << 20
        connectionLimit = settings.maxConnections
        connectionLimitPerHost = settings.maxConnectionsPerAddress
        databaseLimit = description.maxDatabases
        databaseLimits = description.databaseLimits
        isEmulator = description.isEmulator
        unknownDatabases = description.unknownDatabases
        awaitsDatabases = description.nodes.count > 1
        redirectHost = description.publicHost(after: member.id)
        for node in description.nodes { clientHosts[node.id] = node.clientHost }
        if !description.secrets.isEmpty {
            secrets = SecretHashes(description.secrets, by: SHA256.hash)
        }
        if !description.monitorSecrets.isEmpty {
            monitorSecrets = SecretHashes(description.monitorSecrets, by: SHA256.hash)
        }
    }
}
