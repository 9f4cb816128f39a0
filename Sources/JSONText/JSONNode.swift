public import DataTree

/// A place in a parsed text whose parts are not all data: a message, whose members say what to do with the data in it.
///
/// It is navigated by names, and makes values only where the caller wants some. It lives no longer than the call
/// of `JSONReader.read` that gave it.
public struct JSONNode {
    private let tape: Tape
    private let index: Int

    init(_ tape: Tape, at index: Int) { (self.tape, self.index) = (tape, index) }

    private var type: UInt8 { tape.type(at: index) }

    /// Returns the member of an object with a name; nil without one, and for anything but an
    /// object. The last of several equal names wins.
    ///
    /// - Complexity: O(members).
    public subscript(name: StaticString) -> JSONNode? {
        guard isObject else { return nil }
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var found: JSONNode?
        var next = index + 1
        while tape.type(at: next) != UInt8(ascii: "}") {
            if tape.text(tape.words[next]).elementsEqual(name) {
                found = JSONNode(tape, at: next + 1)
            }
            next = tape.index(behind: next + 1)
        }
        return found
    }

    /// Whether it is an object.
    public var isObject: Bool { type == UInt8(ascii: "{") }

    /// The string that it is.
    public var string: String? {
        guard type == UInt8(ascii: "\"") else { return nil }
        return String(decoding: tape.text(tape.words[index]), as: UTF8.self)
    }

    /// The integer of at most 64 bits that it is.
    public var integer: Int64? {
        switch type {
        case UInt8(ascii: "l"): Int64(bitPattern: tape.words[index + 1])
        case UInt8(ascii: "d"): Int64(exactly: Double(bitPattern: tape.words[index + 1]))
        default: nil
        }
    }

    /// The number that it is, as JavaScript reads it.
    public var number: Double? {
        switch type {
        case UInt8(ascii: "l"): Double(Int64(bitPattern: tape.words[index + 1]))
        case UInt8(ascii: "u"): Double(tape.words[index + 1])
        case UInt8(ascii: "d"): Double(bitPattern: tape.words[index + 1])
        default: nil
        }
    }

    /// The boolean that it is.
    public var boolean: Bool? {
        switch type {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The members of the object that it is, in the order of the text, equal names included.
    public var members: [(name: String, value: JSONNode)]? {
        guard isObject else { return nil }
        var members: [(name: String, value: JSONNode)] = []
        var next = index + 1
        while tape.type(at: next) != UInt8(ascii: "}") {
            let name = String(decoding: tape.text(tape.words[next]), as: UTF8.self)
            members.append((name, JSONNode(tape, at: next + 1)))
            next = tape.index(behind: next + 1)
        }
        return members
    }

    /// The elements of the array that it is.
    public var elements: [JSONNode]? {
        guard type == UInt8(ascii: "[") else { return nil }
        var elements: [JSONNode] = []
        var next = index + 1
        while tape.type(at: next) != UInt8(ascii: "]") {
            elements.append(JSONNode(tape, at: next))
            next = tape.index(behind: next)
        }
        return elements
    }

    /// The value that it is in import form, as `JSONReader.parse` reads it.
    ///
    /// - Throws: `DataError` for what is no import form.
    public func value() throws(DataError) -> Value {
        try read { tape throws(TapeError) in try tape.value() }
    }

    /// The members of a multi-path update, as `JSONReader.parseUpdate` reads them.
    ///
    /// - Throws: `DataError` for an invalid path, or for anything but an object.
    public func update() throws(DataError) -> [(path: Path, value: Value)] {
        try read { tape throws(TapeError) in try tape.update() }
    }

    private func read<Result>(
        _ body: (inout Tape) throws(TapeError) -> Result
    ) throws(DataError) -> Result {
        var tape = tape
        tape.index = index
        do throws(TapeError) {
            return try body(&tape)
        } catch {
            throw error.error
        }
    }
}

extension JSONReader {
    /// Parses UTF-8 bytes, and has the caller read what they say.
    ///
    /// - Parameter body: Gets the text's outermost place, which does not outlive the call.
    /// - Throws: `JSONError` for text that is not JSON, or breaks a limit.
    public func read<Result>(
        _ text: [UInt8], _ body: (JSONNode) -> Result
    ) throws(JSONError) -> Result {
        let result: Swift.Result<Result, JSONError> = text.withUnsafeBytes { bytes in
            Swift.Result { () throws(JSONError) in
                try read(bytes, capacity: text.capacity) { tape throws(TapeError) in
                    body(JSONNode(tape, at: tape.index))
                }
            }
        }
        return try result.get()
    }
}

extension Tape {
    /// The index of what follows a value.
    fileprivate func index(behind index: Int) -> Int {
        switch type(at: index) {
        // The word has in its lower half the index behind the matching bracket.
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(words[index] & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }
}
