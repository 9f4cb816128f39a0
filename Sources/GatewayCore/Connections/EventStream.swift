internal import DataTree
internal import HTTPText
internal import JSONText
internal import Marks
internal import SyncProtocol

/// The events of one listen, as server-sent events in Firebase's form.
///
/// The first event contains the whole data. A value too large for one part is sent in parts. Later events wait
/// behind it, and the replica holds back further ones.
struct EventStream {
    private let listen: UInt64
    private let database: DatabaseName
    private let form: JSONWriter.Form
    private let body: ChunkedBody
    /// Whether the text of an event is the same for other clients: chunks are not sent to those of HTTP/1.0.
    private let sharesTexts: Bool
    private let partBytes: Int
    /// The rest of a large event.
    private var rest: AnswerText?
    private var waiting: ArraySlice<[Write]> = []
    /// When the client got something last.
    private(set) var sentMilliseconds: UInt64

    init(
        of listen: UInt64, database: DatabaseName = .default, in form: JSONWriter.Form,
        _ body: ChunkedBody, sharesTexts: Bool, partBytes: Int = PartSizes().answerBytes,
        at milliseconds: UInt64
    ) {
        self.listen = listen
        self.database = database
        self.form = form
        self.body = body
        self.sharesTexts = sharesTexts
        self.partBytes = partBytes
        sentMilliseconds = milliseconds
    }

    /// Whether a large event has not left yet, or what waits behind it.
    var isPartWay: Bool { rest != nil || !waiting.isEmpty }

    /// The result of a message of the replica.
    enum Step {
        case nothing
        case sends([UInt8])
        /// The last bytes.
        case ends([UInt8])
    }

    /// Processes a message of the replica.
    mutating func step(
        _ answer: SessionAnswer, _ texts: inout GatewayTexts, at milliseconds: UInt64
    ) -> Step {
        switch answer.message {
        case .change(listen, let writes):
            let shown = shown(of: writes)
            if shown.isEmpty { return .nothing }
            let writes = answer.replacement.map { [$0] } ?? shown
            if isPartWay {
                sometimes(.eventWaitsBehindLargeOne)
                waiting.append(writes)
                return waiting.count <= EventStream.waitingLimit ? .nothing : .ends([])
            }
            sentMilliseconds = milliseconds
            return .sends(text(of: writes, answer.notice, &texts))
        case .ended(listen, _, _, _): return .ends(cancellation)
        default: return .nothing
        }
    }

    /// The next part of a large event, or what waits behind it; called as the part before has left.
    mutating func nextPart(at milliseconds: UInt64) -> [UInt8] {
        sentMilliseconds = milliseconds
        var bytes = writeRest()
        while rest == nil, bytes.count < partBytes, let writes = waiting.popFirst() {
            bytes += begin(writes)
        }
        return bytes
    }

    /// The bytes that show a quiet client that the stream is alive.
    mutating func keepAlive(at milliseconds: UInt64) -> [UInt8] {
        sentMilliseconds = milliseconds
        return body.piece(EventStreamText.bytes(event: "keep-alive", data: EventStream.null))
    }

    /// The end of a stream whose location is not shown to the client any longer.
    var cancellation: [UInt8] {
        body.piece(EventStreamText.bytes(event: "cancel", data: EventStream.null)) + body.end
    }

    /// The end of a stream whose credential has expired. Firebase's clients compare the text, which is not JSON.
    var revocation: [UInt8] {
        let text = Array("credential is no longer valid".utf8)
        return body.piece(EventStreamText.bytes(event: "auth_revoked", data: text)) + body.end
    }

    private static let null = Array("null".utf8)
    /// The most messages that the replica sends before it holds back the rest; they come from a few turns.
    private static let waitingLimit = 10_000
}

// MARK: - Texts

extension EventStream {
    /// Plain data has no priorities.
    private func shown(of writes: [Write]) -> [Write] {
        guard form == .plain, writes.contains(where: { $0.path.last == .priority }) else {
            return writes
        }
        return writes.filter { $0.path.last != .priority }
    }

    private mutating func text(
        of writes: [Write], _ notice: UInt64, _ texts: inout GatewayTexts
    ) -> [UInt8] {
        guard sharesTexts else { return begin(writes) }
        let whole = texts.text(notice, of: database, .eventStream(form)) {
            var text = EventStream.event(of: writes, in: form)
            var bytes: [UInt8] = []
            // A large one is made by each client that reads it, part by part.
            return text.write(to: &bytes, atLeast: partBytes) ? [] : body.piece(bytes)
        }
        return whole.isEmpty ? begin(writes) : whole
    }

    private mutating func begin(_ writes: [Write]) -> [UInt8] {
        rest = EventStream.event(of: writes, in: form)
        return writeRest()
    }

    private mutating func writeRest() -> [UInt8] {
        guard var text = rest.take() else { return [] }
        var bytes: [UInt8] = []
        if text.write(to: &bytes, atLeast: partBytes) { rest = text }
        return body.piece(bytes)
    }

    /// One operation is one event: `put` for one write, `patch` for several, at the location that they have in common. Libraries
    /// take the first key of a patch at `/` for a child, whatever follows it.
    private static func event(of writes: [Write], in form: JSONWriter.Form) -> AnswerText {
        guard writes.count > 1 else {
            let start = "event: put\ndata: {\"path\":\(name(writes[0].path)),\"data\":"
            return AnswerText(
                writes[0].value, form: form, from: Array(start.utf8), to: Array("}\n\n".utf8))
        }
        let keys = commonKeys(of: writes)
        let below = writes.map {
            Write(path: Path(Array($0.path.keys[keys.count...])), value: $0.value)
        }
        let start = "event: patch\ndata: {\"path\":\(name(Path(keys))),\"data\":"
        return AnswerText(pieces: [
            .bytes(Array(start.utf8)), .update(UpdateWriter(below, form: form)),
            .bytes(Array("}\n\n".utf8)),
        ])
    }

    /// The keys with which the paths of all writes begin, and behind which each has one more.
    private static func commonKeys(of writes: [Write]) -> [Key] {
        var common = writes[0].path.keys.dropLast()
        for write in writes {
            let keys = write.path.keys.dropLast()
            let count = zip(common, keys).prefix { $0 == $1 }.count
            common = common.prefix(count)
        }
        return Array(common)
    }

    private static func name(_ path: Path) -> String {
        JSONWriter.text(of: .string(path.description))
    }
}
