/// The keys just before and just after another one, as older clients compute them.
///
/// These clients write the exclusive bounds of a query as inclusive bounds on a neighbouring key. A neighbour
/// may be as long as 786 UTF-16 code units, more than a key in data.
/// Source: `firebase-semantics.md`, section 2.2.
public struct KeyNeighbours: Sendable {
    /// Counts with the alphabet of push IDs, as JavaScript and Android clients do.
    public static let pushAlphabet = KeyNeighbours(alphabet: .push)
    /// Counts with all characters that keys may hold, as iOS clients do.
    public static let unicode = KeyNeighbours(alphabet: .unicode)

    private let alphabet: KeyAlphabet
    private static let length = 786

    /// The key after `key`, or nil if none is greater: the bound `[MAX_NAME]`.
    public func successor(of key: Key) -> Key? {
        if let number = key.integer {
            return number == .max ? Key(alphabet.first) : Key(unchecked: String(number + 1))
        }
        var text = Array(key.text.unicodeScalars)
        if text.utf16Count < KeyNeighbours.length { return Key(text + [alphabet.first]) }
        while let last = text.popLast() {
            if let next = alphabet.scalar(after: last) { return Key(text + [next]) }
        }
        return nil
    }

    /// The key before `key`, or nil if none is less: the bound `[MIN_NAME]`.
    public func predecessor(of key: Key) -> Key? {
        if let number = key.integer {
            return number == .min ? nil : Key(unchecked: String(number - 1))
        }
        var text = Array(key.text.unicodeScalars)
        guard let last = text.popLast() else { return nil }
        guard let previous = alphabet.scalar(before: last) else {
            return text.isEmpty ? Key(unchecked: String(Int32.max)) : Key(text)
        }
        text.append(previous)
        let padding = max(0, KeyNeighbours.length - text.utf16Count)
        return Key(text + Array(repeating: alphabet.last, count: padding))
    }
}

/// Characters in the order of keys.
private enum KeyAlphabet {
    case push, unicode

    var first: Unicode.Scalar { self == .push ? "-" : " " }
    var last: Unicode.Scalar { self == .push ? "z" : "\u{FFFF}" }

    /// The next character, or nil after the last one.
    func scalar(after scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if self == .push, scalar > last { return nil }
        var next = scalar
        repeat {
            guard next != last, let following = next.followingInUTF16 else { return nil }
            next = following
        } while !contains(next)
        return next
    }

    /// The character before, or nil before the first one.
    func scalar(before scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if self == .push, scalar > last { return last }
        var previous = scalar
        repeat {
            guard previous != first, let preceding = previous.precedingInUTF16 else { return nil }
            previous = preceding
        } while !contains(previous)
        return previous
    }

    private func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch (self, scalar) {
        case (_, "0"..."9"), (_, "A"..."Z"), (_, "a"..."z"), (_, "-"), (_, "_"): true
        case (.push, _): false
        case (.unicode, "."), (.unicode, "#"), (.unicode, "$"), (.unicode, "/"): false
        case (.unicode, "["), (.unicode, "]"), (.unicode, "\u{7F}"): false
        case (.unicode, _): scalar.value >= 0x20
        }
    }
}

extension Unicode.Scalar {
    /// The next one in UTF-16 order, where U+E000...U+FFFF come after all beyond them.
    fileprivate var followingInUTF16: Unicode.Scalar? {
        switch value {
        case 0xD7FF: Unicode.Scalar(0x10000 as UInt32)
        case 0x10FFFF: Unicode.Scalar(0xE000 as UInt32)
        case 0xFFFF: nil
        default: Unicode.Scalar(value + 1)
        }
    }

    fileprivate var precedingInUTF16: Unicode.Scalar? {
        switch value {
        case 0: nil
        case 0x10000: Unicode.Scalar(0xD7FF as UInt32)
        case 0xE000: Unicode.Scalar(0x10FFFF as UInt32)
        default: Unicode.Scalar(value - 1)
        }
    }
}

extension [Unicode.Scalar] {
    fileprivate var utf16Count: Int { reduce(0) { $0 + ($1.value > 0xFFFF ? 2 : 1) } }
}

extension Key {
    fileprivate init(_ scalar: Unicode.Scalar) { self.init([scalar]) }

    fileprivate init(_ scalars: [Unicode.Scalar]) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        self.init(unchecked: String(text))
    }
}
