// The entry of libFuzzer; `scripts/fuzz tokens` builds it with the verifier, and without the tests.
import Glibc
import Rules

@testable import Tokens

/// A key that the fuzzer does not know: each of its tokens is a forgery.
private let secret: [UInt8] = {
    var numbers = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: 0...255, using: &numbers) }
}()
private let trust: TokenTrust = {
    var issuer = TokenIssuer("issuer", keys: [.shared(secret)])
    issuer.audiences = ["app"]
    return TokenTrust([issuer])
}()
private let moment = 1_700_000_000.0
/// Unsafe if two threads used it: the fuzzer has one, and one test alone tries the examples.
private nonisolated(unsafe) let reader = Token.makeReader()

/// Forged tokens, and claims.
let fuzzedTokens = [
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhZGEiLCJhdWQiOiJhcHAiLCJleHAiOjE4MDAwMDAwMDB9.c2ln",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.", "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0.e30.AAAA",
    "eyJhbGciOiJIUzI1NiJ9.eyJ2IjowLCJkIjp7InVpZCI6ImFkYSJ9LCJpYXQiOjE3MDAwMDAwMDB9.c2ln",
    #"{"sub": "ada", "aud": "app", "iat": 1699999990, "exp": 1700003600}"#,
    #"{"v": 0, "d": {"uid": "ada"}, "iat": 1699999990}"#,
]

/// Writes the examples into the corpus, whose folder is the program's last argument.
#if HEARTH_FUZZ
    @_cdecl("LLVMFuzzerInitialize")
#endif
public func writeCorpus(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    let folder = String(cString: arguments.pointee[Int(count.pointee) - 1])
    for (index, example) in fuzzedTokens.enumerated() {
        guard let file = fopen("\(folder)/seed-\(index)", "w") else { continue }
        fputs(example, file)
        fclose(file)
    }
    return 0
}

/// Stops the fuzzer at a text that shows somebody; claims are also tried with a right signature, and may show only who
/// has not expired.
#if HEARTH_FUZZ
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = violation(ofToken: bytes) { fatalError(violation) }
    return 0
}

/// The identity that a forged token or claims yield; nil if they yield none.
func violation(ofToken bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    if (try? trust.identity(of: text, at: moment, by: reader)) != nil {
        return "a forged token is accepted"
    }
    let claims = try? reader.read(bytes) { node in
        Result { () throws(Claim.Failure) in try Claim(node) }
    }
    guard let claims = try? claims?.get() else { return nil }
    let token = TokenSigner.shared(secret).token(claims)
    if let identity = try? trust.identity(of: token, at: moment, by: reader),
        !identity.holds(at: moment)
    {
        return "\(claims) show somebody whose time is over"
    }
    return nil
}
