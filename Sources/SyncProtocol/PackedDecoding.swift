import DataTree

// Small objects as most clients send them, and as nodes write them: few primitives, in key order and in their smallest
// form. The tree keeps them as the bytes that came.

extension MessagePackReader {
    /// Takes the members of an object, whose head is taken already, if they can be kept as they are.
    ///
    /// - Returns: Nil, with no member taken, if they have to be read one by one.
    mutating func packedObject(_ count: Int) -> Value? {
        guard 1...Children.PackedLimits.count ~= count else { return nil }
        let start = position
        var last: Key?
        for _ in 0..<count {
            guard let key = packableKey(), last.map({ $0 < key }) ?? true, takePackableValue(),
                position - start < Children.PackedLimits.bytes
            else {
                rewind(to: start)
                return nil
            }
            last = key
        }
        return .object(Children(packed: taken(from: start), count: count))
    }

    /// Takes a valid key of ASCII that is short enough; nil for all others.
    private mutating func packableKey() -> Key? {
        let start = position
        guard let head = try? head(), case .string(let count) = head,
            1...Children.PackedLimits.keyBytes ~= count, position == start + 1
        else { return nil }
        let utf8 = readBytes(count)
        // Names of reserved members begin with a full stop.
        guard utf8[0] != UInt8(ascii: "."), utf8.isASCII else { return nil }
        return try? Key(validating: utf8)
    }

    /// Passes over a primitive in its smallest form; false for anything else.
    private mutating func takePackableValue() -> Bool {
        let start = position
        guard let head = try? head() else { return false }
        let size = position - start
        switch head {
        case .boolean: return true
        case .integer(let number): return size == MessagePackWriter.byteCount(of: number)
        case .double(let number): return size == 9 && Number.double(number).isFraction
        case .string(let count):
            guard size == MessagePackWriter.byteCount(ofStringHead: count) else { return false }
            let utf8 = readBytes(count)
            return utf8.isASCII || String(validating: utf8, as: UTF8.self) != nil
        default: return false
        }
    }
}

extension Number {
    /// Whether the number is finite, and a double in its one form.
    fileprivate var isFraction: Bool {
        if case .double(let number) = value { number.isFinite } else { false }
    }
}
