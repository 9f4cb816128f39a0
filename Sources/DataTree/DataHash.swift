/// The fingerprint by which Firebase's clients compare data: in transactions and when they resume a
/// listen.
///
/// Null has the empty hash; anything else the SHA-1 digest, in base 64, of a text that spells the
/// value with its priorities. Source: `firebase-semantics.md`, section 9.
public struct DataHash: Equatable, Sendable {
    /// The digest in base 64; empty for nothing.
    public let text: String

    /// Whether a value can have this hash: it is empty, or as long as a digest.
    public var isPossible: Bool { text.isEmpty || text.utf8.count == DataHash.digestLength }

    /// The characters of a SHA-1 digest in base 64.
    private static let digestLength = 28

    /// Takes a hash that a peer sent.
    public init(text: String) { self.text = text }

    /// The hash of a value; no other program reproduces the hash of one with placeholders.
    ///
    /// - Complexity: O(size), and O(n log n) in children where some have priorities.
    public init(of value: Value) {
        var hasher = ValueHasher(.exact)
        text = hasher.hash(of: value)
    }

    /// Whether this is the hash of `value`, also as Firebase's clients compute it: all round integers to doubles, and that
    /// for JavaScript gets some numbers wrong (`JavaScriptDouble`).
    public func matches(_ value: Value) -> Bool {
        var exact = ValueHasher(.exact)
        if text == exact.hash(of: value) { return true }
        // Most values have one hash for all clients.
        guard exact.dependsOnForm else { return false }
        return [NumberForm.javaScript, .rounded].contains { form in
            var hasher = ValueHasher(form)
            return text == hasher.hash(of: value)
        }
    }
}

/// Which client's spelling of numbers goes into a hash.
enum NumberForm {
    /// Firebase's, except for integers that equal no double: different ones have different hashes.
    /// A client with one of them therefore receives the other, and a condition on one does not hold
    /// for the other.
    case exact
    /// Firebase's: of integers the next double.
    case rounded
    /// That of Firebase's client for JavaScript.
    case javaScript
}

/// Hashes values, with the numbers spelled in one form.
struct ValueHasher {
    private let form: NumberForm
    /// Whether a number that was hashed has another spelling in another form.
    private(set) var dependsOnForm = false

    init(_ form: NumberForm) { self.form = form }

    mutating func hash(of value: Value) -> String {
        if value.isNull { return "" }
        var digest = SHA1()
        if !value.priority.isNull {
            digest.update("priority:")
            update(&digest, primitive: value.priority)
            digest.update(UInt8(ascii: ":"))
        }
        if case .object(let children) = value.content {
            for (key, child) in ValueHasher.priorityOrder(of: children) {
                digest.update(UInt8(ascii: ":"))
                key.withUTF8 { digest.update($0) }
                digest.update(UInt8(ascii: ":"))
                digest.update(hash(of: child))
            }
        } else {
            update(&digest, primitive: value.content)
        }
        return digest.base64()
    }

    mutating func update(_ digest: inout SHA1, primitive: Value) {
        switch primitive {
        case .boolean(let flag):
            digest.update(flag ? "boolean:true" : "boolean:false")
        case .integer(let number):
            if number.isBetweenDoubles || Double(number).isMisspelled { dependsOnForm = true }
            digest.update(form.spell(number))
        case .double(let number):
            if number.isMisspelled { dependsOnForm = true }
            digest.update("number:" + form.spell(number))
        case .string(let text):
            digest.update("string:")
            digest.update(text)
        // No client can have stored a placeholder, but every value that a peer sends must have a hash.
        case .deferred: digest.update("deferred:")
        case .null, .object, .prioritized:
            preconditionFailure("hash of \(primitive), which is no primitive")
        }
    }

    private static func priorityOrder(of children: Children) -> [Children.Entry] {
        let entries = Array(children)
        guard entries.contains(where: { !$0.value.priority.isNull }) else { return entries }
        return entries.sorted { a, b in
            a.value.priority.order(to: b.value.priority).or(Order(a.key, b.key)) == .before
        }
    }
}

extension NumberForm {
    /// Returns the text of an integer in the hash.
    func spell(_ number: Int64) -> String {
        if self == .exact, number.isBetweenDoubles { return "integer:\(number)" }
        return "number:" + spell(Double(number))
    }

    /// The 16 hexadecimal digits of a double's bytes, the highest first.
    func spell(_ number: Double) -> String {
        let bits =
            self == .javaScript ? JavaScriptDouble.bitPattern(of: number) : number.bitPattern
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Double {
    /// Whether Firebase's client for JavaScript spells it in another way.
    fileprivate var isMisspelled: Bool { JavaScriptDouble.bitPattern(of: self) != bitPattern }
}

extension Int64 {
    /// Whether no double is equal to it, as may be beyond 2^53.
    fileprivate var isBetweenDoubles: Bool { Int64(exactly: Double(self)) != self }
}
