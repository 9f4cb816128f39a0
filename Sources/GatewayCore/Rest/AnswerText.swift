internal import DataTree
internal import JSONText
internal import SyncProtocol

/// The text of an answer or an event, made in parts: a huge value needs no second copy, and is read from its snapshot.
struct AnswerText {
    /// A piece of the text.
    enum Piece {
        case bytes([UInt8])
        case json(JSONWriter)
        case keys(ShallowWriter)
        case update(UpdateWriter)
    }

    /// At least so much of bytes that exist already is a part.
    private static let pieceBytes = 64 << 10

    /// The pieces that are not written, the last one first.
    private var rest: [Piece]
    /// How much of the next piece is written, if that is bytes.
    private var written = 0

    /// A text of these pieces.
    init(pieces: [Piece]) { rest = pieces.reversed() }

    /// A text that exists already.
    init(_ bytes: [UInt8]) { rest = [.bytes(bytes)] }

    /// The JSON of a value, between two texts.
    init(
        _ value: Value, form: JSONWriter.Form = .plain, layout: JSONWriter.Layout = .compact,
        from start: [UInt8] = [], to end: [UInt8] = []
    ) {
        self.init(pieces: [
            .bytes(start), .json(JSONWriter(value, form: form, layout: layout)), .bytes(end),
        ])
    }

    /// The value that a request asks for, in the form that it asks for.
    init(_ value: Value, in form: RestForm) {
        let (start, end) = (Array(form.frame.start.utf8), Array(form.frame.end.utf8))
        guard form.isShallow, case .object(let children) = value.content else {
            self.init(value, form: form.form, layout: form.layout, from: start, to: end)
            return
        }
        let keys = ShallowWriter(children, layout: form.layout)
        self.init(pieces: [.bytes(start), .keys(keys), .bytes(end)])
    }

    /// The same text with more behind it; nothing of it has been written.
    func followed(by bytes: [UInt8]) -> AnswerText {
        var text = self
        text.rest.insert(.bytes(bytes), at: 0)
        return text
    }

    /// Appends the next part of the text, which is somewhat larger than `count` unless it is the last.
    ///
    /// - Returns: Whether more follows.
    mutating func write(to bytes: inout [UInt8], atLeast count: Int) -> Bool {
        let end = bytes.count + count
        // Taken out, so that it is changed in place.
        while var piece = rest.popLast() {
            if write(&piece, to: &bytes, until: end) {
                rest.append(piece)
                return true
            }
        }
        return false
    }

    /// Appends the next part of a piece; returns whether more of it follows.
    private mutating func write(
        _ piece: inout Piece, to bytes: inout [UInt8], until end: Int
    ) -> Bool {
        if case .bytes(let text) = piece {
            let next = min(text.count, written + max(end - bytes.count, AnswerText.pieceBytes))
            bytes += text[written..<next]
            written = next < text.count ? next : 0
            return written > 0
        }
        guard bytes.count < end else { return true }
        let room = end - bytes.count
        // Taken out, so that it is changed in place.
        let present = piece
        piece = .bytes([])
        switch present {
        case .bytes: return false
        case .json(var writer):
            let more = writer.write(to: &bytes, atLeast: room)
            if more { piece = .json(writer) }
            return more
        case .keys(var writer):
            let more = writer.write(to: &bytes, atLeast: room)
            if more { piece = .keys(writer) }
            return more
        case .update(var writer):
            let more = writer.write(to: &bytes, atLeast: room)
            if more { piece = .update(writer) }
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
            guard let (key, _) = rest.next() else {
                bytes += isFirst ? "{}".utf8 : layout == .pretty ? "\n}".utf8 : "}".utf8
                return false
            }
            bytes += isFirst ? "{".utf8 : ",".utf8
            isFirst = false
            if layout == .pretty { bytes += "\n  ".utf8 }
            bytes += JSONWriter.bytes(of: .string(key.text))
            bytes += layout == .pretty ? ": ".utf8 : ":".utf8
            bytes += "true".utf8
        }
        return true
    }
}
