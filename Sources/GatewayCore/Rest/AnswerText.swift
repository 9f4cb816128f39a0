internal import DataTree
internal import JSONText

/// The text of an answer or an event, made in parts: a huge value needs no second copy, and is read from its snapshot.
struct AnswerText {
    private enum Body {
        case bytes
        case json(JSONWriter)
        case keys(ShallowWriter)
    }

    /// The size of a part.
    static let partBytes = 64 << 10

    private var start: [UInt8]
    /// How much of `start` is written.
    private var written = 0
    private var body: Body
    private let end: [UInt8]

    /// A text that exists already.
    init(_ bytes: [UInt8]) {
        start = bytes
        body = .bytes
        end = []
    }

    /// The JSON of a value, between two texts.
    init(
        _ value: Value, form: JSONWriter.Form = .plain, layout: JSONWriter.Layout = .compact,
        from start: [UInt8] = [], to end: [UInt8] = []
    ) {
        self.start = start
        body = .json(JSONWriter(value, form: form, layout: layout))
        self.end = end
    }

    /// The value that a request asks for, in the form that it asks for.
    init(_ value: Value, in form: RestForm) {
        let frame = form.frame
        start = Array(frame.start.utf8)
        end = Array(frame.end.utf8)
        if form.isShallow, case .object(let children) = value.content {
            body = .keys(ShallowWriter(children, layout: form.layout))
        } else {
            body = .json(JSONWriter(value, form: form.form, layout: form.layout))
        }
    }

    /// Appends the next part of the text, which is somewhat larger than `partBytes` unless it is the last.
    ///
    /// - Returns: Whether more follows.
    mutating func write(to bytes: inout [UInt8]) -> Bool {
        let limit = bytes.count + AnswerText.partBytes
        if written < start.count {
            let next = min(start.count, written + AnswerText.partBytes)
            bytes += start[written..<next]
            written = next
            if next < start.count { return true }
            start = []
            written = 0
        }
        let more = writeBody(to: &bytes, atLeast: limit - bytes.count)
        if !more { bytes += end }
        return more
    }

    private mutating func writeBody(to bytes: inout [UInt8], atLeast count: Int) -> Bool {
        switch body {
        case .bytes: return false
        case .json(var writer):
            // Taken out, so that it is not copied.
            body = .bytes
            let more = writer.write(to: &bytes, atLeast: max(count, 1))
            if more { body = .json(writer) }
            return more
        case .keys(var writer):
            body = .bytes
            let more = writer.write(to: &bytes, atLeast: max(count, 1))
            if more { body = .keys(writer) }
            return more
        }
    }
}

/// Writes the children of an object with true in place of those that are objects: Firebase's `shallow=true`.
struct ShallowWriter {
    private var rest: Children.Iterator
    private let layout: JSONWriter.Layout
    private var isFirst = true

    init(_ children: Children, layout: JSONWriter.Layout) {
        rest = children.makeIterator()
        self.layout = layout
    }

    /// Appends the next part of the text; returns whether more follows.
    mutating func write(to bytes: inout [UInt8], atLeast count: Int) -> Bool {
        let end = bytes.count + count
        while bytes.count < end {
            guard let (key, child) = rest.next() else {
                bytes += isFirst ? "{}".utf8 : layout == .pretty ? "\n}".utf8 : "}".utf8
                return false
            }
            bytes += isFirst ? "{".utf8 : ",".utf8
            isFirst = false
            if layout == .pretty { bytes += "\n  ".utf8 }
            bytes += JSONWriter.bytes(of: .string(key.text))
            bytes += layout == .pretty ? ": ".utf8 : ":".utf8
            let isObject = if case .object = child.content { true } else { false }
            bytes += JSONWriter.bytes(of: isObject ? .boolean(true) : child.content)
        }
        return true
    }
}
