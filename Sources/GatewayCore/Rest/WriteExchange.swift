internal import DataTree
internal import JSONText
internal import SyncProtocol

/// A write, and the reads that its answer needs: of what the node made of server values, and of what was there instead.
struct WriteExchange {
    private enum Phase {
        /// The write and the reads behind it, which the replica does in one turn, are not all answered.
        case writing
        /// A conditional write is done.
        case reading
        /// No value has the tag of a conditional write, which is refused without asking.
        case comparing
        /// A conditional write was refused, as something else was there.
        case refused
    }

    /// How long a conditional write waits for the coordinator of the cluster.
    private static let patienceMilliseconds: UInt64 = 10_000

    private let request: RestRequest
    private let body: RestBody
    private let id: UInt64
    private var phase: Phase
    private var isDone = false
    private var pushed: Key?
    private var acknowledged: WriteConcern?
    /// The reads that are not answered, and the values of the others, in the order of their paths; nil for what the client may
    /// write and not read.
    private var reads: ArraySlice<UInt64> = []
    private var values: [Value?] = []

    /// The first requests to the replica.
    private(set) var opening: [ClientMessage] = []

    init(_ request: RestRequest, _ body: RestBody, _ numbers: inout RequestNumbers) {
        self.request = request
        self.body = body
        id = numbers.next()
        // A tag that no value has is no condition to ask for: the write is refused here.
        if request.tags.required != nil, request.tags.requiredHash == nil {
            phase = .comparing
            opening = read([.root], &numbers)
            return
        }
        phase = .writing
        opening = [message]
        if request.tags.required == nil { opening += read(body.deferredPaths, &numbers) }
    }

    private var message: ClientMessage {
        switch body {
        case .put(let value):
            let condition = request.tags.requiredHash.map {
                Condition($0, patienceMilliseconds: WriteExchange.patienceMilliseconds)
            }
            return .put(
                id: id, path: request.path, value: value, condition: condition,
                concern: request.concern)
        case .merge(let writes):
            return .merge(id: id, path: request.path, writes: writes, concern: request.concern)
        case .push(let value): return .push(id: id, path: request.path, value: value)
        }
    }

    private mutating func read(
        _ paths: [Path], _ numbers: inout RequestNumbers
    ) -> [ClientMessage] {
        let messages = paths.map {
            ClientMessage.get(id: numbers.next(), path: request.path.appending($0))
        }
        reads = messages.map(\.id)[...]
        return messages
    }
}

// MARK: - Answers of the replica

extension WriteExchange {
    mutating func step(
        _ message: NodeMessage, _ numbers: inout RequestNumbers
    ) -> Exchange.Step {
        switch message {
        case .ok(id): return written(&numbers)
        case .acknowledged(id, let concern):
            acknowledged = concern
            return written(&numbers)
        case .pushed(id, let key):
            pushed = key
            return written(&numbers)
        case .error(id, .changed, _, _):
            phase = .refused
            return .asks(read([.root], &numbers))
        case .error(id, let code, let problem, let fix):
            return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: true)))
        case .value(let read, let value) where read == reads.first:
            reads.removeFirst()
            values.append(value)
            return next
        case .error(let read, let code, let problem, let fix) where read == reads.first:
            if case .comparing = phase {
                return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: false)))
            }
            // The write is answered by its own outcome, even if its client may not read the result.
            reads.removeFirst()
            values.append(nil)
            return next
        default: return .waits
        }
    }

    private mutating func written(_ numbers: inout RequestNumbers) -> Exchange.Step {
        isDone = true
        guard request.tags.required != nil, !body.deferredPaths.isEmpty else { return next }
        phase = .reading
        return .asks(read(body.deferredPaths, &numbers))
    }

    private var next: Exchange.Step {
        guard reads.isEmpty else { return .waits }
        switch phase {
        case .comparing, .refused: return refusal
        case .writing, .reading: return isDone ? answer : .waits
        }
    }

    /// The answer that something else was there, with it unless the client may not read it.
    private var refusal: Exchange.Step {
        guard let value = values.first ?? nil else { return .answers(Answer(.changed)) }
        return .tags(TaggedAnswer(Answer(status: 412, value, to: request), of: value))
    }

    private var answer: Exchange.Step {
        var answer: Answer
        var tagged: Value?
        switch body.resolved(values) {
        case .put(let value):
            answer = Answer(value, to: request)
            if request.tags.isWanted, !value.containsDeferred { tagged = value }
        case .merge where request.form.isSilent: answer = Answer(status: 204)
        case .merge(let writes):
            // As the client sent it.
            let form = request.form
            let update = UpdateWriter(writes, form: form.form, layout: form.layout)
            answer = Answer(AnswerText(pieces: [.update(update)]), type: form.contentType)
        case .push:
            var name = Children()
            name[WriteExchange.nameKey] = .string(pushed?.text ?? "")
            answer = Answer(Value(name), to: request)
        }
        if let acknowledged { answer.append("Hearth-Concern", acknowledged.rawValue) }
        return tagged.map { .tags(TaggedAnswer(answer, of: $0)) } ?? .answers(answer)
    }

    private static let nameKey = Key(unchecked: "name")
}

extension RestFailure {
    fileprivate static let changed = RestFailure(
        status: 412, problem: "The value has another ETag than if-match.",
        fix: "read the value and send its ETag, or omit if-match")
}
