import Rules
import TLS
import Tokens

@testable import GatewayCore

/// Tokens that tests make, for the time at which a test's gateway begins.
enum TestTokens {
    static let now = Double(TestGateway.wallMilliseconds) / 1_000
    private static let secret = Array("a secret of at least 32 bytes, say".utf8)

    static var trust: TokenTrust {
        var issuer = TokenIssuer(keys: [.shared(secret)])
        issuer.adminClaim = "admin"
        return TokenTrust([issuer])
    }

    private static let otherKey = TokenKey.shared(
        Array("another secret of at least 32 bytes".utf8))

    /// The same issuer with another key besides.
    static var trustOfBoth: TokenTrust {
        var trust = trust
        trust.issuers[0].keys.append(otherKey)
        return trust
    }

    /// The same issuer with the other key alone.
    static var trustOfOther: TokenTrust {
        var trust = trust
        trust.issuers[0].keys = [otherKey]
        return trust
    }

    /// A gateway's configuration with tokens and secrets.
    static var configuration: GatewayConfiguration {
        var configuration = TestSecrets.configuration
        configuration.tokens = trust
        return configuration
    }

    static func claims(
        _ user: String, seconds: Double = 3_600, _ more: [Claim.Member] = []
    ) -> Claim {
        Claim(
            members: [
                .init("sub", .string(user)), .init("iat", .number(now)),
                .init("exp", .number(now + seconds)),
            ] + more)
    }

    /// A token of a user.
    static func token(
        _ user: String, seconds: Double = 3_600, _ more: [Claim.Member] = []
    ) -> String {
        TokenSigner.shared(secret).token(claims(user, seconds: seconds, more))
    }

    /// A token of an administrator.
    static let administrator = token("root", [.init("admin", .boolean(true))])

    /// The replica's inputs about the user of such a token.
    static func user(_ name: String, seconds: Double = 3_600) -> Principal {
        .user(
            .object([
                .init("token", claims(name, seconds: seconds)), .init("uid", .string(name)),
            ]))
    }
}
