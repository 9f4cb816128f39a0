import Randomness

@testable import Tokens

/// A file of public keys, in one of the forms that an issuer may publish them, and what it has by construction.
struct ProbedKeyText {
    let text: String
    /// The keys, with the names by which tokens call them; nil for a text of which all is refused.
    let keys: [(key: ProbedKey, id: String?)]?

    init(_ random: inout SplitMix64) {
        var chosen: [ProbedKey] = [.first, .second, .third]
        chosen.shuffle(using: &random)
        let keys = Array(chosen.prefix(1 + random.index(below: 3)))
        switch random.index(below: 4) {
        case 0:
            text = keys.map(\.certificate).joined()
            self.keys = keys.map { ($0, keys.count == 1 ? "file" : nil) }
        case 1:
            let spoilt = random.index(below: 4)
            let members = keys.enumerated().map { index, key in
                let value =
                    index > 0 || spoilt > 1
                    ? key.certificate : spoilt == 0 ? key.certificate + key.certificate : "none"
                return "\"\(key)\": \"\(value.replacing("\n", with: "\\n"))\""
            }
            text = " {" + members.joined(separator: ",") + "}"
            self.keys = spoilt > 1 ? keys.map { ($0, "\($0)") }.sorted { $0.1! < $1.1! } : nil
        default: (text, self.keys) = ProbedKeyText.set(of: keys, &random)
        }
    }

    /// A set of JSON Web Keys, some of which are for something else.
    private static func set(
        of keys: [ProbedKey], _ random: inout SplitMix64
    ) -> (String, [(ProbedKey, String?)]?) {
        var (texts, found): ([String], [(ProbedKey, String?)]) = ([], [])
        for key in keys {
            let id: String? = random.index(below: 4) == 0 ? nil : "\(key)"
            let name = id.map { ",\"kid\":\"\($0)\"" } ?? ""
            let other = [
                "", ",\"use\":\"sig\"", ",\"alg\":\"EdDSA\"", ",\"use\":\"enc\"",
                ",\"alg\":\"ES256\"",
            ]
            let kind = random.index(below: other.count)
            texts.append(
                "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(key.x)\"\(name)\(other[kind])}")
            if kind < 3 { found.append((key, id)) }
            if random.index(below: 3) == 0 {
                texts.append(foreign[random.index(below: foreign.count)])
            }
        }
        let isSpoilt = random.index(below: 8) == 0
        if isSpoilt { texts.append(refused[random.index(below: refused.count)]) }
        if random.index(below: 4) == 0 {
            texts.append(unusable[random.index(below: unusable.count)])
        }
        return (
            "{\"keys\":[" + texts.joined(separator: ",") + "]}",
            isSpoilt || found.isEmpty ? nil : found
        )
    }

    /// Keys of kinds that sign no tokens here.
    private static let foreign = [
        "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"\(ProbedKey.first.x)\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"AA\",\"y\":\"AA\"}", "{\"kty\":\"new\"}",
    ]

    /// What no public key may be.
    private static let refused = [
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(ProbedKey.first.x)\",\"d\":\"AA\"}",
        "{\"kty\":\"oct\",\"k\":\"AA\"}",
    ]

    /// Damaged and weak keys, which are skipped.
    private static let unusable = [
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"}",
        "{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\"}",
    ]

    /// What a cluster makes of it other than it should; nil if nothing.
    var problem: String? {
        let found = try? TokenKeyText().contents(of: Array(text.utf8), named: "file").keys
        let expected = keys.map { $0.map { $0.key.key(id: $0.id) } }
        return found == expected
            ? nil : "of the keys \(text) it takes \(found?.count ?? 0), not \(expected?.count ?? 0)"
    }
}
