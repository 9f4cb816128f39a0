import Randomness
import Rules
import TLS

@testable import Tokens

/// A token at random: much of it is what an issuer wants, or only just not.
struct ProbedToken {
    static let exchange =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    let key: ProbedKey
    let keyID: String?
    private(set) var claims: [String: Claim] = [:]
    private(set) var text = ""
    /// It says of itself that nobody has signed it.
    private(set) var isUnsigned = false
    /// One of its bytes is not what its issuer wrote, or it is too long.
    private(set) var isSpoilt = false

    var payload: Claim { Claim(members: claims.map { .init($0.key, $0.value) }) }

    /// - Parameters:
    ///   - issuer: Of which it is mostly.
    ///   - base: A time in seconds at which it mostly holds.
    init(by issuer: NaiveIssuer, around base: Double, _ random: inout SplitMix64) {
        let own = issuer.keys[random.index(below: issuer.keys.count)]
        let isOwn = random.index(below: 8) > 0
        key = isOwn ? own.key : ProbedKey.allCases[random.index(below: ProbedKey.allCases.count)]
        let names: [String?] = [
            own.id, own.id, own.id, own.id, nil, "unknown", "\(ProbedKey.second)",
        ]
        keyID = key.isShared ? nil : names[random.index(below: names.count)]
        drawTimes(issuer, around: base, &random)
        drawUser(issuer, &random)
        drawAudience(issuer, &random)
        if let name = issuer.name {
            claims["iss"] = .string(random.index(below: 10) == 0 ? "unknown" : name)
        }
        if issuer.name == nil, random.index(below: 2) == 0 { claims["iss"] = .string("anybody") }
        if random.index(below: 6) == 0 { drawLegacy(&random) }
        text = key.signer(id: keyID).token(payload)
        switch random.index(below: 12) {
        case 0: spoil(&random)
        case 1: breakApart(&random)
        case 2 where random.index(below: 4) == 0: lengthen(&random)
        case 3, 4: leaveUnsigned(&random)
        default: break
        }
    }

    private mutating func drawTimes(
        _ issuer: NaiveIssuer, around base: Double, _ random: inout SplitMix64
    ) {
        let (issued, lifetime) = (
            base - Double(random.index(below: 60)), 30 + Double(random.index(below: 90))
        )
        claims["iat"] = .number(issued)
        claims["exp"] = .number(issued + lifetime)
        if random.index(below: 3) == 0 {
            claims["nbf"] = .number(issued + Double(random.index(below: 40)) - 20)
        }
        if random.index(below: 3) == 0 {
            let since = issuer.validSince ?? base
            claims["auth_time"] = .number(since + Double(random.index(below: 3)) - 1)
        }
        if random.index(below: 20) == 0 {
            let name = ["iat", "exp", "nbf", "auth_time"][random.index(below: 4)]
            claims[name] = random.index(below: 2) == 0 ? nil : .string("now")
        }
    }

    private mutating func drawUser(_ issuer: NaiveIssuer, _ random: inout SplitMix64) {
        let users = [
            "u1", "u2", "u3", "", String(repeating: "u", count: 128),
            String(repeating: "u", count: 129),
        ]
        let limit = random.index(below: 4) == 0 ? users.count : 3
        let claim = random.index(below: 10) == 0 ? "uid" : issuer.userClaim
        claims[claim] =
            random.index(below: 20) == 0 ? .number(1) : .string(users[random.index(below: limit)])
        if let name = issuer.adminClaim ?? (random.index(below: 2) == 0 ? "boss" : nil),
            random.index(below: 4) == 0
        {
            claims[name] =
                [.boolean(true), .boolean(true), .string("true"), .boolean(false)][
                    random.index(below: 4)]
        }
        if random.index(below: 3) == 0 {
            claims["firebase"] = Claim(members: [.init("sign_in_provider", .string("password"))])
        }
        if random.index(below: 3) == 0 { claims["via"] = .string("badge") }
    }

    private mutating func drawAudience(_ issuer: NaiveIssuer, _ random: inout SplitMix64) {
        let own = Claim.string(issuer.audiences.last ?? "anybody")
        switch random.index(below: 14) {
        case 0: claims["aud"] = nil
        case 1: claims["aud"] = .string("another")
        case 2: claims["aud"] = .array([.string("another"), own])
        case 3: claims["aud"] = .array([own, .number(1)])
        case 4: claims["aud"] = .array([own, .string(ProbedToken.exchange)])
        case 5: claims["aud"] = .number(1)
        default: claims["aud"] = own
        }
    }

    /// As Firebase's old generators made them.
    private mutating func drawLegacy(_ random: inout SplitMix64) {
        claims["v"] = .number(random.index(below: 5) == 0 ? 1 : 0)
        claims["d"] = random.index(below: 5) == 0 ? .string("u1") : .user("u1")
        if random.index(below: 2) == 0 { claims["exp"] = nil }
        for name in ["admin", "debug"] where random.index(below: 3) == 0 {
            claims[name] = .boolean(true)
        }
    }

    // MARK: What its issuer has not written

    /// Changes a character; in the last one of the signature some bits mean nothing.
    private mutating func spoil(_ random: inout SplitMix64) {
        var characters = Array(text.utf8)
        let index = random.index(below: characters.count - 1)
        characters[index] =
            characters[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        text = String(decoding: characters, as: UTF8.self)
        isSpoilt = true
    }

    /// Leaves one of its three parts out, or adds one.
    private mutating func breakApart(_ random: inout SplitMix64) {
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        switch random.index(below: 4) {
        case 0: parts.remove(at: random.index(below: parts.count))
        case 1: parts.insert("", at: random.index(below: parts.count + 1))
        case 2: parts.append(parts[random.index(below: parts.count)])
        default: parts = [parts[random.index(below: parts.count)]]
        }
        text = parts.joined(separator: ".")
        isSpoilt = true
    }

    /// As Firebase's emulators take them; one with a signature is none.
    private mutating func leaveUnsigned(_ random: inout SplitMix64) {
        let names = ["sub", "user_id", "uid"]
        for name in names.prefix(1 + random.index(below: 3)) {
            claims[name] =
                random.index(below: 2) == 0
                ? nil : .string(["u1", "u2", ""][random.index(below: 3)])
        }
        isUnsigned = true
        let signed = key.signer(id: keyID).token(payload).split(separator: ".")
        isSpoilt = random.index(below: 6) == 0
        let header = Base64URL.text(of: Array("{\"alg\":\"none\"}".utf8))
        text = "\(header).\(signed[1]).\(isSpoilt ? signed[2] : "")"
    }

    /// Makes it just as long as tokens may be, or longer.
    private mutating func lengthen(_ random: inout SplitMix64) {
        let isTooLong = random.index(below: 2) == 0
        var count = (Token.limit - text.utf8.count) * 3 / 4 - 16
        var last = text
        while text.utf8.count <= Token.limit {
            (last, count) = (text, count + 1)
            claims["more"] = .string(String(repeating: "m", count: count))
            text = key.signer(id: keyID).token(payload)
        }
        if !isTooLong {
            text = last
            claims["more"] = .string(String(repeating: "m", count: count - 1))
        }
        isSpoilt = isTooLong
    }

    /// Seconds at which something about it changes, by what an issuer says, or shortly before or after.
    func drawTime(_ issuer: NaiveIssuer, _ random: inout SplitMix64) -> Double? {
        func time(_ name: String) -> Double? {
            if case .number(let time)? = claims[name] { time } else { nil }
        }
        let bounds = [
            time("exp").map { $0 + issuer.skew }, time("iat").map { $0 - issuer.skew },
            time("nbf").map { $0 - issuer.skew },
            time("iat").map { $0 + (issuer.maximumAge ?? 0) + issuer.skew },
            time("iat").map { $0 + 86_400 + issuer.skew },
        ]
        let bound = bounds[random.index(below: bounds.count)]
        return bound.map { $0 + [-1, -0.5, 0, 0.5, 1][random.index(below: 5)] }
    }
}
