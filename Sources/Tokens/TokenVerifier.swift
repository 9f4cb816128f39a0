internal import JSONText
internal import TLS

/// Verifies tokens, and remembers what those show that it has verified, for as long as they do.
///
/// It remembers a bounded number of tokens, by their hashes, and none that show nothing.
public struct TokenVerifier {
    /// The trusted issuers; a change clears the cache.
    public var trust: TokenTrust {
        didSet {
            if trust != oldValue { (recent, earlier) = ([:], [:]) }
        }
    }

    /// When so many are remembered, those that were not shown since as many others are forgotten.
    private let generation: Int
    private let reader = Token.makeReader()
    private var recent: [[UInt8]: TokenIdentity] = [:]
    private var earlier: [[UInt8]: TokenIdentity] = [:]

    /// A verifier that has seen no token.
    ///
    /// - Parameter generation: How many it remembers at least of those that it has seen last; it remembers twice as many at most.
    public init(trusting trust: TokenTrust, remembering generation: Int) {
        (self.trust, self.generation) = (trust, generation)
    }

    /// How many tokens it remembers.
    var count: Int { recent.count + earlier.count }

    /// Returns the identity in a credential.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: why it shows nothing.
    public mutating func identity(
        of text: String, at now: Double
    ) throws(TokenFailure) -> TokenIdentity {
        guard text.utf8.count <= Token.limit else { throw .tooLong }
        let hash = SHA256.hash(of: Array(text.utf8))
        if let known = recent[hash] ?? earlier[hash], known.holds(at: now) {
            remember(known, hash)
            return known
        }
        let identity = try trust.identity(of: text, at: now, by: reader)
        remember(identity, hash)
        return identity
    }

    private mutating func remember(_ identity: TokenIdentity, _ hash: [UInt8]) {
        if recent[hash] == nil, recent.count >= generation {
            earlier = recent
            recent = [:]
        }
        recent[hash] = identity
    }
}
