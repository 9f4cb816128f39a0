import TLS

@testable import Tokens

/// Those who sign the tokens of probes.
enum ProbedKey: CaseIterable {
    case secret, otherSecret, first, second, third

    /// Whether issuer and cluster share it.
    var isShared: Bool { self == .secret || self == .otherSecret }

    /// The private key, as PEM without its frame. Made for this and for nothing else; signatures of this kind are the same each time.
    private var body: String {
        switch self {
        case .secret, .otherSecret: ""
        case .first: "MC4CAQAwBQYDK2VwBCIEIO3l4kgmHxQkreVWYKc1EueW8GG725p6zzjRjjVuIUX5"
        case .second: "MC4CAQAwBQYDK2VwBCIEIJ6qGwnx987HYC0WwYsdsXkKCjKWTEH9EHyyeygRBqN2"
        case .third: "MC4CAQAwBQYDK2VwBCIEIORq/Pesh8MdAxoHXBEPc6KDjpdZxru8YcjrqRIUqNZy"
        }
    }

    /// What it is as the member `x` of a JSON Web Key.
    var x: String {
        switch self {
        case .secret, .otherSecret: ""
        case .first: "J61L5WNIsxNXKM7iGeXiIeqb-0PAD1MAxJSCOWQkREA"
        case .second: "_vctJvKL1UaixQAWD-Zmh9A_TxEzvoEDbGw_TjJ9zmw"
        case .third: "c6ZNC4eOw2vSyHF1QWsCmgRFBYG-YhILEPcSbYABYAk"
        }
    }

    /// A certificate for it.
    var certificate: String {
        let body =
            switch self {
            case .secret, .otherSecret: ""
            case .first:
                """
                MIIBLjCB4aADAgECAhRs2QBomDJGpez/hdSf4fC5+dmclzAFBgMrZXAwDDEKMAgG
                A1UEAwwBeDAgFw0yNjExMjQxNjI4MTZaGA8yMDgxMDgyNzE2MjgxNlowDDEKMAgG
                A1UEAwwBeDAqMAUGAytlcAMhACetS+VjSLMTVyjO4hnl4iHqm/tDwA9TAMSUgjlk
                JERAo1MwUTAdBgNVHQ4EFgQU5XG7usnH7sgfa7hBGYLc2d6lhnQwHwYDVR0jBBgw
                FoAU5XG7usnH7sgfa7hBGYLc2d6lhnQwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
                QQDt9ukaX4NqK+rtzJWlS2qqwETCGYOCK2Q4mQDzLz6s4b6rIGGf7XAvVMfrUCO/
                2XzR9CbxoktdMEHdEUDGoTMN
                """
            case .second:
                """
                MIIBLjCB4aADAgECAhQywcBC4KvDToeCY7w4wllywP7HfzAFBgMrZXAwDDEKMAgG
                A1UEAwwBeDAgFw0yNjExMjQxNjI4MTZaGA8yMDgxMDgyNzE2MjgxNlowDDEKMAgG
                A1UEAwwBeDAqMAUGAytlcAMhAP73LSbyi9VGosUAFg/mZofQP08RM76BA2xsP04y
                fc5so1MwUTAdBgNVHQ4EFgQUm7YJ8FqL5gMvciATNc/BQJwb44EwHwYDVR0jBBgw
                FoAUm7YJ8FqL5gMvciATNc/BQJwb44EwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
                QQDqwhu+/d8m7hQpUwIO58luFfiBf7k88TFVRptj/4Pjd4+Xa8tuOVGjZjqPTswW
                ktA/YSX00KjKETmakstyatYJ
                """
            case .third:
                """
                MIIBLjCB4aADAgECAhQ8rrqzxlXBINmyjtCj5DDq2yqlSzAFBgMrZXAwDDEKMAgG
                A1UEAwwBeDAgFw0yNjExMjQxNjI4MTZaGA8yMDgxMDgyNzE2MjgxNlowDDEKMAgG
                A1UEAwwBeDAqMAUGAytlcAMhAHOmTQuHjsNr0shxdUFrApoERQWBvmISCxD3Em2A
                AWAJo1MwUTAdBgNVHQ4EFgQUHaxojj1ZbjBlDq7rGJKjeCmejkcwHwYDVR0jBBgw
                FoAUHaxojj1ZbjBlDq7rGJKjeCmejkcwDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXAD
                QQCZo1ut7w6RJCrzfIlT4XBT7ZNN5iUmgWUCf3WwT/duqjZuG6q4KwT7k/U8MgUe
                iPeYgg9zvBQEdIuS5OJ+8CwC
                """
            }
        return "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n"
    }

    private var secret: [UInt8] {
        Array((self == .secret ? "a" : "b").utf8)
            + Array("-secret that issuer and cluster share".utf8)
    }

    private static let signingKeys: [ProbedKey: SigningKey] = {
        let keys = allCases.filter { !$0.isShared }.map { key in
            let text = "-----BEGIN PRIVATE KEY-----\n\(key.body)\n-----END PRIVATE KEY-----\n"
            guard let made = SigningKey(pem: text) else { preconditionFailure("\(key) is no key") }
            return (key, made)
        }
        return Dictionary(uniqueKeysWithValues: keys)
    }()

    func signer(id: String?) -> TokenSigner {
        ProbedKey.signingKeys[self].map { .key($0, id: id) } ?? .shared(secret)
    }

    /// By what a cluster checks its tokens.
    func key(id: String?) -> TokenKey {
        ProbedKey.signingKeys[self].map { .verification($0.publicKey, id: id) } ?? .shared(secret)
    }
}
