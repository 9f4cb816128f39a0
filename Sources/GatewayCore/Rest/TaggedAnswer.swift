internal import DataTree

/// An answer with the ETag of a value, whose hash is computed in steps.
struct TaggedAnswer {
    private var task: HashTask
    private let answer: Answer
    /// The ETag that the client has: the answer is 304 if it is the same.
    private let known: String?
    /// Nil until the hash is complete.
    private(set) var complete: Answer?

    init(_ answer: Answer, of value: Value, orUnchangedFrom known: String? = nil) {
        task = HashTask(value, at: .root)
        (self.answer, self.known) = (answer, known)
    }

    /// Goes on until about so many units are spent; returns how many are.
    mutating func advance(
        spending units: Int, sharing hashes: inout SharedHashes, at milliseconds: UInt64
    ) -> Int {
        let spent = hashes.advance(&task, spending: units, at: milliseconds)
        if let found = task.hashes {
            let tag = task.value.isNull ? EntityTags.null : found.exact.text
            var answer = tag == known ? Answer(status: 304) : answer
            answer.append("ETag", tag)
            complete = answer
        }
        return spent
    }
}

// MARK: - Connections

extension Connection {
    /// Sends an answer once its ETag is there, in this turn or a later one.
    mutating func send(
        _ tagged: TaggedAnswer, to request: OpenRequest,
        spending units: Int = GatewayUnits.hashStep, _ context: inout GatewayContext
    ) {
        var tagged = tagged
        context.units += tagged.advance(
            spending: units, sharing: &context.hashes, at: context.elapsedMilliseconds)
        if let answer = tagged.complete { return send(answer, to: request, &context) }
        become(.hashing(request, tagged))
        context.hashing.append(id)
    }

    /// Goes on with the ETag of an answer.
    mutating func continueHashing(spending units: Int, _ context: inout GatewayContext) {
        guard case .hashing(let request, let tagged) = activity else { return }
        become(.idle)
        send(tagged, to: request, spending: units, &context)
        readRequests(&context)
    }
}
