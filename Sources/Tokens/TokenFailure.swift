/// Why a token shows nothing.
public enum TokenFailure: Error, Equatable, Sendable {
    /// It is longer than `Token.limit`.
    case tooLong
    /// It is no token: this is wrong with it.
    case malformed(String)
    /// Its algorithm is unknown, or none, or not that of the key.
    case algorithm(String)
    /// It wants an extension, `crit`.
    case critical
    /// Its issuer is not trusted.
    case issuer(String?)
    /// No key of its issuer is the one that it names, `kid`.
    case key(String?)
    /// Its signature is wrong.
    case signature
    /// It was valid until this second since 1970.
    case expired(at: Double)
    /// It is valid from this second on.
    case early(until: Double)
    /// Its issuer wants tokens that are younger.
    case old(issuedAt: Double)
    /// Tokens of its issuer hold from this second on, and its user signed in before that.
    case revoked(since: Double)
    /// A claim is missing, or has another type.
    case claim(String)
    /// The user that this claim names cannot be a key.
    case user(String)
    /// Its issuer has not checked the e-mail address that names its user.
    case unverifiedMail
    /// It is for another audience.
    case audience
    /// It is one of Firebase's custom tokens, which its client has to exchange for an ID token.
    case custom
    /// It says that its holder is an administrator, which its issuer may not say.
    case administrator
}

extension TokenFailure {
    /// The answer to a client: Firebase's own texts. They do not reveal how close a guess was.
    public var answer: String {
        switch self {
        case .expired, .revoked: "Auth token is expired"
        case .algorithm(let name): "Unsupported jwt algorithm: \(name)"
        default: "Could not parse auth token."
        }
    }

    /// The problem, for operators.
    public var problem: String {
        switch self {
        case .tooLong: "the token has more than \(Token.limit) bytes"
        case .malformed(let reason): "it is not a token: \(reason)"
        case .algorithm(let name): "the algorithm \(name) is not that of a key of its issuer"
        case .critical: "the token wants extensions (crit), and none are known"
        case .issuer(let name?): "no issuer \"\(name)\" is trusted"
        case .issuer(nil): "the token names no issuer (iss), and each trusted one has a name"
        case .key(let id?): "the issuer has no key \"\(id)\" of the token's algorithm"
        case .key(nil): "the token names no key (kid), and the issuer does not have just one"
        case .signature: "the signature is wrong"
        case .expired(let time): "the token has expired at \(TokenFailure.text(of: time))"
        case .early(let time): "the token is not valid before \(TokenFailure.text(of: time))"
        case .old(let time):
            "the token was issued at \(TokenFailure.text(of: time)), which is too long ago for its issuer"
        case .revoked(let time):
            "its user signed in before \(TokenFailure.text(of: time)), and tokens from before that are taken back (validSince)"
        case .claim(let name): "the token has no \"\(name)\", or one of another type"
        case .user(let name):
            "the user in \"\(name)\" cannot be a key: it has one of . # $ / [ ], or a control character"
        case .unverifiedMail:
            "the issuer has not checked the e-mail address of the user (email_verified)"
        case .audience: "the token is for another audience (aud)"
        case .custom: "a custom token of Firebase shows nothing by itself"
        case .administrator: "the token says \"admin\", and its issuer is not trusted to say so"
        }
    }

    /// The fix.
    public var fix: String {
        switch self {
        case .tooLong: "put less into the token's claims"
        case .malformed:
            "send three parts of base64url with dots between them, as an issuer made them"
        case .algorithm:
            "sign by \(TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")), as the issuer's key does"
        case .critical: "leave out crit"
        case .issuer: "add the issuer to \"issuers\" of \"tokens\" in the configuration"
        case .key(nil): "have the issuer name its key in the header of its tokens (kid)"
        case .key: "add the issuer's present keys to its \"keys\" in the configuration"
        case .signature: "sign with a key that the configuration of the cluster names"
        case .revoked: "sign in anew"
        case .expired, .old: "get a new token"
        case .early: "compare the clocks of the issuer and of the node"
        case .claim("aud"):
            "have the issuer add \"aud\"; if it adds it to ID tokens only, send an ID token instead of an access token"
        case .claim(let name): "have the issuer add \"\(name)\""
        case .user:
            "have the issuer name users by other texts, or name another claim as its \"user\""
        case .unverifiedMail: "have the user confirm the address, then get a new token"
        case .audience: "add the audience to the issuer in the configuration"
        case .custom: "sign in with it, and send the ID token"
        case .administrator: "add admin: \"admin\" to the issuer in the configuration"
        }
    }

    /// A time in seconds as an integer.
    private static func text(of seconds: Double) -> String {
        Int64(exactly: seconds.rounded(.down)).map(String.init) ?? "\(seconds)"
    }
}
