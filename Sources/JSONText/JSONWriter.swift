public import DataTree

/// Writes a value as JSON text, whole or in parts, so that a huge tree needs no second copy.
///
/// ```swift
/// var writer = JSONWriter(value, form: .export)
/// var part: [UInt8] = []
/// while writer.write(to: &part, atLeast: 65_536) {
///     send(part)
///     part.removeAll(keepingCapacity: true)
/// }
/// send(part)
/// ```
///
/// Members come in key order; numbers and strings are written as JavaScript's `JSON.stringify` does. Integers of 64 bits are
/// written in full, and larger numbers with an exponent.
public struct JSONWriter {
    /// How much of a value is written.
    public enum Form: Sendable {
        /// Without priorities, and lists as arrays: what `val()` and a plain REST read give.
        case plain
        /// With `.priority` and `.value`, never arrays: what an import reads back to an equal value.
        case export
    }

    /// The use of white space.
    public enum Layout: Sendable {
        /// Nowhere.
        case compact
        /// A line for each member, indented by two spaces a level.
        case pretty
    }

    private let form: Form
    private let layout: Layout
    private var start: Value?
    private var frames: [Frame] = []
    /// A long string of which a part is written, and how many bytes of it are.
    private var string: (text: String, written: Int)?
    /// Longer strings are written in parts of this size.
    private static let stringPart = 16 << 10

    /// Makes a writer at the start of a value's text.
    public init(_ value: Value, form: Form = .plain, layout: Layout = .compact) {
        self.form = form
        self.layout = layout
        start = value
    }

    /// The whole text of a value, as UTF-8.
    public static func bytes(
        of value: Value, form: Form = .plain, layout: Layout = .compact
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = JSONWriter(value, form: form, layout: layout)
        writer.write(to: &bytes)
        return bytes
    }

    /// The text of a number in JavaScript, in full below 1e21.
    public static func javaScriptText(of number: Double) -> String {
        var bytes: [UInt8] = []
        NumberText.append(number, to: &bytes, exponentFrom: 1e21)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The whole text of a value.
    public static func text(
        of value: Value, form: Form = .plain, layout: Layout = .compact
    ) -> String {
        String(decoding: bytes(of: value, form: form, layout: layout), as: UTF8.self)
    }

    /// Appends the next part of the text: somewhat more than `count` bytes, or, by default, all that is
    /// left.
    ///
    /// - Returns: Whether more may follow.
    /// - Complexity: O(part), whatever the size of the tree.
    @discardableResult
    public mutating func write(to bytes: inout [UInt8], atLeast count: Int = .max) -> Bool {
        let end = count < .max - bytes.count ? bytes.count + count : .max
        if let start = start.take() { begin(start, &bytes) }
        while string != nil || !frames.isEmpty {
            if bytes.count >= end { return true }
            if string != nil { writeString(&bytes) } else { writeNextMember(&bytes) }
        }
        return false
    }
}

// MARK: - Traversal

extension JSONWriter {
    /// An object or array that has been opened and not yet closed.
    private struct Frame {
        var children: Children.Iterator
        let isArray: Bool
        /// Members written so far, holes of an array included.
        var position = 0
        /// The priority, written behind the children as a member of its own; null for none.
        var priority: Value
    }

    /// Writes a primitive, or opens an object.
    private mutating func begin(_ value: Value, _ bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let flag): bytes += flag ? "true".utf8 : "false".utf8
        case .integer(let number): NumberText.append(number, to: &bytes)
        case .double(let number): NumberText.append(number, to: &bytes)
        case .string(let text): begin(text, &bytes)
        case .object(let children): open(children, priority: .null, &bytes)
        case .prioritized(let value): begin(value, &bytes)
        case .deferred(let placeholder): append(placeholder, to: &bytes)
        }
    }

    private mutating func begin(_ value: Prioritized, _ bytes: inout [UInt8]) {
        guard form == .export else { return begin(value.content, &bytes) }
        if case .object(let children) = value.content {
            return open(children, priority: value.priority, &bytes)
        }
        var members = Children()
        members[Key(unchecked: ".value")] = value.content
        open(members, priority: value.priority, &bytes)
    }

    private mutating func begin(_ text: String, _ bytes: inout [UInt8]) {
        guard text.utf8.count > JSONWriter.stringPart else {
            return StringText.append(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
        string = (text, 0)
    }

    private mutating func writeString(_ bytes: inout [UInt8]) {
        guard let string = string.take() else { return }
        var text = string.text
        let end = min(string.written + JSONWriter.stringPart, text.utf8.count)
        text.withUTF8 { utf8 in
            let part = UnsafeBufferPointer(rebasing: utf8[string.written..<end])
            StringText.append(contents: part, to: &bytes)
        }
        if end < text.utf8.count {
            self.string = (text, end)
        } else {
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private mutating func open(_ children: Children, priority: Value, _ bytes: inout [UInt8]) {
        let isArray = form == .plain && children.arrayLength != nil
        bytes.append(isArray ? UInt8(ascii: "[") : UInt8(ascii: "{"))
        frames.append(
            Frame(children: children.makeIterator(), isArray: isArray, priority: priority))
    }

    private mutating func writeNextMember(_ bytes: inout [UInt8]) {
        let top = frames.count - 1
        if let (key, child) = frames[top].children.next() {
            if frames[top].isArray {
                fillHoles(before: Int(key.integer ?? 0), &bytes)
                separate(frames[top].position, depth: top + 1, &bytes)
            } else {
                separate(frames[top].position, depth: top + 1, &bytes)
                append(key, to: &bytes)
            }
            frames[top].position += 1
            begin(child, &bytes)
        } else if !frames[top].priority.isNull {
            separate(frames[top].position, depth: top + 1, &bytes)
            append(.priority, to: &bytes)
            begin(frames[top].priority.take(), &bytes)
        } else {
            breakLine(depth: top, &bytes)
            bytes.append(frames[top].isArray ? UInt8(ascii: "]") : UInt8(ascii: "}"))
            frames.removeLast()
        }
    }

    private mutating func fillHoles(before index: Int, _ bytes: inout [UInt8]) {
        let top = frames.count - 1
        while frames[top].position < index {
            separate(frames[top].position, depth: top + 1, &bytes)
            bytes += "null".utf8
            frames[top].position += 1
        }
    }
}

// MARK: - Parts

extension JSONWriter {
    /// Goes to the next member of an object or array, in which `position` members are written.
    private func separate(_ position: Int, depth: Int, _ bytes: inout [UInt8]) {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        breakLine(depth: depth, &bytes)
    }

    private func breakLine(depth: Int, _ bytes: inout [UInt8]) {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { bytes += "  ".utf8 }
    }

    private func append(_ key: Key, to bytes: inout [UInt8]) {
        key.withUTF8 { StringText.append($0, to: &bytes) }
        bytes.append(UInt8(ascii: ":"))
        if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
    }

    private func append(_ placeholder: ServerValue, to bytes: inout [UInt8]) {
        switch placeholder {
        case .timestamp: bytes += #"{".sv":"timestamp"}"#.utf8
        case .increment(let delta):
            bytes += #"{".sv":{"increment":"#.utf8
            switch delta {
            case .integer(let number): NumberText.append(number, to: &bytes)
            case .double(let number): NumberText.append(number, to: &bytes)
            }
            bytes += "}}".utf8
        }
    }
}
