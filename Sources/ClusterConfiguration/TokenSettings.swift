/// The token settings of a configuration: the issuers, and the files of the keys that verify their tokens.
public struct TokenSettings: Equatable, Sendable {
    /// Who signs tokens.
    public struct Issuer: Equatable, Sendable {
        /// The `iss` of the tokens; nil if any is accepted.
        public var name: String?
        /// The accepted `aud` of the tokens; empty if any is accepted.
        public var audiences: [String] = []
        /// The public keys: a file, or a folder of files.
        public var keys: String?
        /// The files of signing keys, which issuer and cluster share; instead of public keys.
        public var signingKeys: [String] = []
        /// The claim that becomes `auth.uid`.
        public var userClaim = "sub"
        /// The claim that becomes `auth.provider`.
        public var providerClaim: String?
        /// The claim that makes an administrator if it is true.
        public var adminClaim: String?
        /// How far the clocks of the issuer and the nodes may be apart.
        public var skewSeconds = 60
        /// How old tokens may become.
        public var maxAgeSeconds: Int?
        /// Tokens of a sign-in before that second since 1970 are refused.
        public var validSinceSeconds: Int?

        package init() {}
    }

    /// Who signs tokens.
    public var issuers: [Issuer] = []
    /// Whether nodes believe tokens without a signature, as Firebase's emulators do.
    public var unsignedTokens = false

    package init() {}

    /// Whether nodes take no tokens.
    public var isEmpty: Bool { issuers.isEmpty && !unsignedTokens }

    /// The most issuers of a cluster.
    public static let issuerLimit = 16
    /// The most signing keys of an issuer: one replaces the other.
    public static let signingKeyLimit = 2
    /// The most files of a folder with keys.
    static let fileLimit = 64
}
