// Values, keys and paths out of MessagePack, in the form in which `MessagePackWriter` appends them.

public import DataTree

extension MessagePackReader {
    /// A leaf as deep as a tree goes may still be `{".priority": {".sv": {"increment": 1}}}`.
    static let deepestNesting = Limits.depth + 3

    /// Takes a key, and checks every rule.
    public mutating func key() throws(FrameError) -> Key {
        let start = position
        return try key(of: utf8("a key (a string)"), at: start)
    }

    /// Takes a path, and checks every rule; its last key may be `.priority`.
    public mutating func path() throws(FrameError) -> Path {
        let start = position
        let utf8 = try checkedUTF8("a path (a string)")
        do throws(DataError) {
            return try Path(validating: utf8)
        } catch {
            throw .data(error, at: start)
        }
    }

    /// Takes a value in import form: maps are objects, arrays are objects with the keys 0, 1, …
    ///
    /// Checks keys, UTF-8 and numbers. Depth and sizes are bounded only as far as decoding needs it;
    /// whether they suit the place in the tree is for `Value.validate(at:)`.
    public mutating func value() throws(FrameError) -> Value {
        try value(nesting: 0)
    }

    private mutating func value(nesting: Int) throws(FrameError) -> Value {
        let start = position
        switch try head() {
        case .nothing: return .null
        case .boolean(let boolean): return .boolean(boolean)
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return Number.double(Double(number)).value
        case .double(let number):
            if number.isFinite { return Number.double(number).value }
            throw .expected("a finite number", found: "\(number)", at: start)
        case .string(let count): return .string(try text(of: readBytes(count), at: start))
        case .map(let count): return try object(count, from: start, nesting: nesting + 1)
        case .array(let count): return try list(count, from: start, nesting: nesting + 1)
        case let other: throw .expected("a value", found: other.name, at: start)
        }
    }

    private mutating func object(
        _ count: Int, from start: Int, nesting: Int
    ) throws(FrameError) -> Value {
        try checkNesting(nesting, at: start)
        if let packed = packedObject(count) { return packed }
        // Memory is reserved for members that exist, not for declared ones.
        var builder = ObjectBuilder(expectedMembers: min(count, 64))
        for _ in 0..<count {
            let place = position
            let name = try utf8("a key (a string)")
            if name.first == UInt8(ascii: ".") {
                try addReserved(name, from: place, nesting: nesting, to: &builder)
            } else {
                let key = try key(of: name, at: place)
                builder.add(key, try value(nesting: nesting))
            }
        }
        return try finished(builder, from: start)
    }

    private func finished(
        _ builder: consuming ObjectBuilder, from start: Int
    ) throws(FrameError) -> Value {
        do throws(DataError) {
            return try builder.finish()
        } catch {
            throw .data(error, at: start)
        }
    }

    private mutating func addReserved(
        _ name: UnsafeBufferPointer<UInt8>, from place: Int, nesting: Int,
        to builder: inout ObjectBuilder
    ) throws(FrameError) {
        let member = try value(nesting: nesting)
        do throws(DataError) {
            try builder.add(name, member)
        } catch {
            throw .data(error, at: place)
        }
    }

    private mutating func list(
        _ count: Int, from start: Int, nesting: Int
    ) throws(FrameError) -> Value {
        try checkNesting(nesting, at: start)
        var builder = ObjectBuilder(expectedMembers: min(count, 64))
        for index in 0..<count { builder.addElement(index, try value(nesting: nesting)) }
        return try finished(builder, from: start)
    }

    private func checkNesting(_ nesting: Int, at start: Int) throws(FrameError) {
        guard nesting > MessagePackReader.deepestNesting else { return }
        throw FrameError(
            offset: start, problem: "the value at byte \(start) is too deep in its tree",
            fix: "nest at most \(Limits.depth) levels")
    }

    private func key(
        of utf8: UnsafeBufferPointer<UInt8>, at start: Int
    ) throws(FrameError) -> Key {
        if !utf8.isASCII { _ = try text(of: utf8, at: start) }
        do throws(DataError) {
            return try Key(validating: utf8)
        } catch {
            throw .data(error, at: start)
        }
    }

    private mutating func checkedUTF8(
        _ wanted: StaticString
    ) throws(FrameError) -> UnsafeBufferPointer<UInt8> {
        let start = position
        let utf8 = try utf8(wanted)
        if !utf8.isASCII { _ = try text(of: utf8, at: start) }
        return utf8
    }
}
