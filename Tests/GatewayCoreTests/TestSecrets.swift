import Rules

@testable import GatewayCore

/// Secrets that tests know, and a hash function that shows where two texts differ.
enum TestSecrets {
    static let known = ["alpha-secret", "beta-secret"]
    /// The administrator with the first secret, by the first digits of its hash.
    static let alpha = Principal.administrator(name: "secret:616c7068")
    static let monitor = "monitor-secret"
    static let hashes = SecretHashes(known.map { hash(Array($0.utf8)) }, by: hash)

    @Sendable private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var padded = [UInt8](repeating: 0, count: 32)
        for (index, byte) in bytes.enumerated() { padded[index % 31] ^= byte }
        padded[31] = UInt8(truncatingIfNeeded: bytes.count)
        return padded
    }

    /// The access of a gateway with these secrets.
    static var configuration: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.secrets = hashes
        configuration.monitorSecrets = SecretHashes([hash(Array(monitor.utf8))], by: hash)
        return configuration
    }
}
