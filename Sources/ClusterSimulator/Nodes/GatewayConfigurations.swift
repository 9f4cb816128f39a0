import GatewayCore
import Tokens

extension GatewayConfiguration {
    /// How many milliseconds nodes of runs let pass before they send a quiet stream a sign of life.
    static let virtualKeepAlive: UInt64 = 1_100

    /// If so many bytes wait for a client, its listens pause.
    static let virtualBackpressure = 200

    /// That of a virtual node: short deadlines, and small parts, since runs are short and values small.
    ///
    /// - Parameters:
    ///   - nodes: The names of the cluster's nodes, which are their hosts, too.
    ///   - position: The position of this node among them. Clients go to the next one once this one stops.
    ///   - tokens: The trusted issuers; nil if clients have no identities.
    static func virtual(
        hosts: [String], nodes: [String], position: Int, nameSeed: String, tokens: TokenTrust?
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.hosts = hosts
        configuration.redirectHost =
            nodes.count > 1 ? nodes[(position + 1) % nodes.count] : nil
        for name in nodes { configuration.clientHosts[name] = name }
        configuration.nameSeed = nameSeed
        if let tokens {
            configuration.secrets = SecretHashes([Array(Credential.secret.utf8)]) { $0 }
            configuration.tokens = tokens
            configuration.rememberedTokens = 3
        }
        configuration.backpressureBytes = virtualBackpressure
        configuration.keepAliveMilliseconds = virtualKeepAlive
        configuration.partMilliseconds = 4_000
        configuration.deadlines.idleMilliseconds = 4_000
        // Longer than the rest of a request can be on its way.
        configuration.deadlines.headMilliseconds = 2_500
        configuration.deadlines.bodyMilliseconds = 2_500
        configuration.polls.holdMilliseconds = 800
        configuration.polls.switchMilliseconds = 2_500
        configuration.connectionLimitPerHost = 6
        configuration.parts = .virtual
        return configuration
    }
}

extension PartSizes {
    /// So small that what small trees show is large.
    fileprivate static var virtual: PartSizes {
        var sizes = PartSizes()
        (sizes.answerBytes, sizes.textBytes, sizes.chunkUnits) = (150, 300, 90)
        (sizes.sendBytes, sizes.pollBytes, sizes.valueBytesPerTurn) = (400, 150, 1_500)
        return sizes
    }
}
