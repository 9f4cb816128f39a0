internal import DataTree

/// A parsed text as simdjson leaves it: 64-bit words with the type in the top byte.
///
/// The words and strings belong to the parser and live until it parses again.
struct Tape {
    let words: UnsafePointer<UInt64>
    let strings: UnsafePointer<UInt8>
    /// The word to read next; word 0 is the root.
    var index = 1

    init(words: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>) {
        self.words = words
        self.strings = strings
    }
}

/// A failure in what the text says, at a word of the tape.
struct TapeError: Error {
    let index: Int
    let error: DataError
}

// MARK: - Values

extension Tape {
    /// Reads the next value, with its children.
    mutating func value() throws(TapeError) -> Value {
        let word = words[index]
        index += 1
        switch UInt8(truncatingIfNeeded: word >> 56) {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return try string(word)
        case UInt8(ascii: "l"): return .integer(Int64(bitPattern: operand()))
        case UInt8(ascii: "u"): return .double(Double(operand()))
        case UInt8(ascii: "d"): return number(Double(bitPattern: operand()))
        case UInt8(ascii: "t"): return .boolean(true)
        case UInt8(ascii: "f"): return .boolean(false)
        default: return .null
        }
    }

    private mutating func object() throws(TapeError) -> Value {
        let start = index - 1
        // The tape has the number of members in bits 32 to 55 of an object's first word.
        let count = Int(words[start] >> 32 & 0xFF_FFFF)
        var builder = ObjectBuilder(expectedMembers: min(count, 64))
        while type(at: index) != UInt8(ascii: "}") {
            let keyIndex = index
            index += 1
            let member = try value()
            do {
                try builder.add(text(words[keyIndex]), member)
            } catch {
                throw TapeError(index: keyIndex, error: error)
            }
        }
        index += 1
        do {
            return try builder.finish()
        } catch {
            throw TapeError(index: start, error: error)
        }
    }

    private mutating func array() throws(TapeError) -> Value {
        var children = Children()
        var position = 0
        while type(at: index) != UInt8(ascii: "]") {
            let element = try value()
            if !element.isNull { children.updateValue(element, forKey: Key(position: position)) }
            position += 1
        }
        index += 1
        return Value(children)
    }

    private func string(_ word: UInt64) throws(TapeError) -> Value {
        let text = text(word)
        if text.count > Limits.stringBytes {
            let error = DataError(
                problem: "a string has \(text.count) bytes, and \(Limits.stringBytes) are allowed",
                fix: "split it over several children")
            throw TapeError(index: index - 1, error: error)
        }
        return .string(String(decoding: text, as: UTF8.self))
    }

    /// Returns a double, or the integer that equals it exactly. 1.0 prints as 1, -0 as 0 and 1e18
    /// with all its digits, so both are the same in JSON.
    private func number(_ double: Double) -> Value {
        Int64(exactly: double).map(Value.integer) ?? .double(double)
    }
}

// MARK: - Updates

extension Tape {
    /// Reads an object whose keys are paths.
    mutating func update() throws(TapeError) -> [(path: Path, value: Value)] {
        guard type(at: index) == UInt8(ascii: "{") else {
            let error = DataError(
                problem: "an update must be an object",
                fix: "give an object of paths and values, for example {\"a/b\": 1}")
            throw TapeError(index: index, error: error)
        }
        index += 1
        var members: [(path: Path, value: Value)] = []
        while type(at: index) != UInt8(ascii: "}") {
            let path = try path(at: index)
            index += 1
            members.append((path, try value()))
        }
        return members
    }

    private func path(at index: Int) throws(TapeError) -> Path {
        do {
            return try Path(validating: text(words[index]))
        } catch {
            throw TapeError(index: index, error: error)
        }
    }
}

// MARK: - Words

extension Tape {
    func type(at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: words[index] >> 56)
    }

    /// The word behind a number's type.
    private mutating func operand() -> UInt64 {
        defer { index += 1 }
        return words[index]
    }

    /// The UTF-8 bytes of a string word: a length in the machine's byte order comes before them.
    func text(_ word: UInt64) -> UnsafeBufferPointer<UInt8> {
        let start = strings + Int(word & 0x00FF_FFFF_FFFF_FFFF)
        let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return UnsafeBufferPointer(start: start + 4, count: Int(count))
    }

    /// How many brackets, keys and primitives come before a word.
    func tokens(before end: Int) -> Int {
        var count = 0
        var index = 1
        while index < end {
            switch type(at: index) {
            case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index += 2
            default: index += 1
            }
            count += 1
        }
        return count
    }
}

extension Key {
    /// The key of an array's element.
    fileprivate init(position: Int) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = position
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            return Key(uncheckedUTF8: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
