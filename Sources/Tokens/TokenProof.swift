/// By what a token was believed: a key of an issuer.
public struct TokenProof: Equatable, Sendable {
    /// The name of the issuer.
    let issuer: String?
    let key: TokenKey
}

extension TokenTrust {
    /// Whether what was believed by a key is still believed: whether the issuer has it still.
    ///
    /// - Complexity: the keys of the cluster.
    public func believes(_ proof: TokenProof) -> Bool {
        issuers.contains { $0.name == proof.issuer && $0.keys.contains(proof.key) }
    }
}
