/// The secrets of administrators or of monitors, as a gateway knows them: by their hashes.
public struct SecretHashes: Sendable {
    /// A text with more bytes is no secret, and no token.
    static let textLimit = 16 << 10

    private let hashes: [[UInt8]]
    private let hash: @Sendable ([UInt8]) -> [UInt8]

    /// Knows the secrets with these hashes.
    ///
    /// - Parameter hash: The hash function, SHA-256, which a core does not have.
    public init(_ hashes: [[UInt8]], by hash: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.hashes = hashes
        self.hash = hash
    }

    /// Whether a text is one of the secrets; how long that takes depends on its length alone.
    func contains(_ text: String) -> Bool { fingerprint(of: text) != nil }

    /// The first 8 hexadecimal digits of a secret's hash; nil if the text is none of the secrets.
    ///
    /// How long that takes for other texts depends on their length alone.
    func fingerprint(of text: String) -> String? {
        guard text.utf8.count <= SecretHashes.textLimit else { return nil }
        let hash = hash(Array(text.utf8))
        var isKnown = false
        for known in hashes {
            let isEqual = known.isEqualInConstantTime(to: hash)
            isKnown = isKnown || isEqual
        }
        return isKnown ? hash.fingerprint : nil
    }
}

extension [UInt8] {
    /// The first 4 bytes in hexadecimal.
    fileprivate var fingerprint: String {
        prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether other bytes are the same; how long that takes does not depend on where they differ.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
