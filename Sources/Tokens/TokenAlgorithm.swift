/// How tokens are signed (RFC 7518, section 3).
public enum TokenAlgorithm: String, CaseIterable, Sendable {
    /// A signing key that both sides have: HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519 (RFC 8037).
    case edDSA = "EdDSA"
}
