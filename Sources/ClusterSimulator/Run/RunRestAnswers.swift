import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// Answers to clients of REST: whether they are right, and what follows from them.

extension SimulatedRun {
    mutating func takeReply(_ bytes: [UInt8], onRestClient number: Int) {
        for (open, answer) in restClients[number].receive(bytes, at: now) {
            judge(answer, to: open, number)
        }
    }

    private mutating func judge(
        _ answer: RestAnswer, to open: RestClient.Open, _ number: Int
    ) {
        restClients[number].count()
        switch open.question {
        case .read(let read): judge(answer, to: read, open, number)
        case .write(let request, let operation):
            judge(answer, to: request, operation, open, number)
        case .examine(let record, let tries): examined(answer, record, tries, open, number)
        case .exchange(let record, let tries): exchanged(answer, record, tries, open, number)
        case .claim(let path): if answer.status == 200 { changeOwn(path, number) }
        case .changeOwn(let path): judge(answer, toChangeOf: path, number)
        case .malformed(let malformed): judge(answer, to: malformed, open, number)
        case .stall: expect(answer, 408, "a request without its end", number)
        case .health: judgeHealth(answer, open, number)
        case .metrics(let before): judgeMetrics(answer, since: before, number)
        }
    }

    /// Whether the node may have been in one of these states since a request was sent.
    private func mayHaveBeen(
        _ number: Int, since open: RestClient.Open, _ isSuch: (Availability) -> Bool
    ) -> Bool {
        nodes[restClients[number].node].availabilities.values(from: open.asked).contains(
            where: isSuch)
    }

    private func mayHaveRefused(_ number: Int, since open: RestClient.Open) -> Bool {
        mayHaveBeen(number, since: open) { $0 != .serving }
    }

    private mutating func expect(
        _ answer: RestAnswer, _ status: Int, _ what: String, _ number: Int
    ) {
        guard answer.status != status else { return }
        restClients[number].note("\(what) got \(answer.status) \(answer.text), not \(status)")
    }

    // MARK: Reads

    private mutating func judge(
        _ answer: RestAnswer, to read: RestRead, _ open: RestClient.Open, _ number: Int
    ) {
        if answer.status == 503, mayHaveRefused(number, since: open) { return }
        let trees = nodes[restClients[number].node].shownTrees.values(from: open.asked)
        restClients[number].count(.restReadsShowTheTree)
        if let problem = read.problem(with: answer, showing: trees, by: reader) {
            restClients[number].tally.note(.restReadsShowTheTree, "\(read) got \(problem)")
        }
        if let tag = answer.head.fields["etag"], !read.selection.query.isFiltered {
            restClients[number].tags[read.path] = tag
        }
    }

    // MARK: Writes

    private mutating func judge(
        _ answer: RestAnswer, to request: Workload.Request, _ operation: Int,
        _ open: RestClient.Open, _ number: Int
    ) {
        switch answer.status {
        case 200: acknowledge(operation, request, answer, number)
        case 503: finish(operation, .failed, number)
        case 504: finish(operation, .unknown, number)
        default:
            finish(operation, .failed, number)
            restClients[number].note(
                "\(history.operations[operation]) got \(answer.status) \(answer.text)")
        }
        if answer.status == 503, !mayHaveRefused(number, since: open) {
            restClients[number].note("a node that serves refused a write: \(answer.text)")
        }
    }

    private mutating func acknowledge(
        _ operation: Int, _ request: Workload.Request, _ answer: RestAnswer, _ number: Int
    ) {
        let shown = try? reader.parse(answer.text)
        if case .append(let list, _, let value) = request.kind {
            guard case .string(let name)? = shown?[Key(unchecked: "name")].content, !name.isEmpty
            else { return restClients[number].note("a push got \(answer.text)") }
            let key = Key(unchecked: name)
            history.operations[operation].kind = .append(list: list, key: key, value: value)
        } else if let expected = request.shownPlainly, shown != expected {
            restClients[number].note(
                "\(history.operations[operation]) got \(answer.text), not \(expected)")
        }
        finish(operation, .acknowledged, number)
        if request.concern != nil, answer.head.fields["hearth-concern"] == nil,
            request.kind.isConcerned
        {
            restClients[number].note("a write with a concern was answered without one")
        }
    }

    // MARK: Transactions

    private mutating func examined(
        _ answer: RestAnswer, _ record: Int, _ tries: Int, _ open: RestClient.Open, _ number: Int
    ) {
        guard answer.status == 200 else {
            finish(transaction: record, .failed, number)
            if answer.status != 503 || !mayHaveRefused(number, since: open) {
                restClients[number].note("the read of a transaction got \(answer.status)")
            }
            return
        }
        exchange(answer, record, tries, number)
    }

    /// Writes on condition of what an answer shows.
    private mutating func exchange(
        _ answer: RestAnswer, _ record: Int, _ tries: Int, _ number: Int
    ) {
        guard let tag = answer.head.fields["etag"], let old = try? reader.parse(answer.text) else {
            restClients[number].note("\(answer.status) \(answer.text) comes without an ETag")
            return finish(transaction: record, .failed, number)
        }
        guard restClients[number].goesOn, tries < RestClient.triesLimit else {
            return finish(transaction: record, .failed, number)
        }
        let path = history.transactions[record].path
        var new = Value.string("c\(restClients[number].index + 1)-\(record)-\(tries)")
        if path == ApplicationProgram.count {
            if case .integer(let count) = old.content {
                new = .integer(count + 1)
            } else {
                new = .integer(1)
            }
        }
        history.transactions[record].old = old
        history.transactions[record].new = new
        let bytes = RestText.request(
            "PUT", RestText.target(path), to: host(of: number), fields: ["If-Match: \(tag)"],
            body: RestText.json(new))
        ask(.exchange(record: record, tries: tries + 1), bytes, number)
    }

    private mutating func exchanged(
        _ answer: RestAnswer, _ record: Int, _ tries: Int, _ open: RestClient.Open, _ number: Int
    ) {
        switch answer.status {
        case 200:
            judgeTag(of: answer, history.transactions[record].new, number)
            finish(transaction: record, .acknowledged, number)
        // The condition does not hold, and the node could not be asked any more what there is.
        case 412 where answer.head.fields["etag"] == nil && mayHaveRefused(number, since: open):
            finish(transaction: record, .failed, number)
        case 412: exchange(answer, record, tries, number)
        case 503: finish(transaction: record, .failed, number)
        case 504: finish(transaction: record, .unknown, number)
        default:
            finish(transaction: record, .failed, number)
            restClients[number].note("a transaction got \(answer.status) \(answer.text)")
        }
    }

    /// The answer to a write on condition has the ETag of what is there now, for the next one.
    private mutating func judgeTag(of answer: RestAnswer, _ new: Value, _ number: Int) {
        let tag = answer.head.fields["etag"]
        if tag == DataHash(of: new).text { return }
        restClients[number].note(
            "the write of \(new) on condition is answered with the ETag \(tag ?? "of nothing")")
    }

    // MARK: Places of one's own

    private mutating func changeOwn(_ path: Path, _ number: Int) {
        guard restClients[number].goesOn else { return }
        let tag = DataHash(of: RestClient.claim).text
        let bytes = RestText.request(
            "PUT", RestText.target(path), to: host(of: number), fields: ["If-Match: \(tag)"],
            body: "\"changed\"")
        ask(.changeOwn(path), bytes, number)
    }

    /// Where nobody else writes, a condition holds, whichever node decides.
    private mutating func judge(
        _ answer: RestAnswer, toChangeOf path: Path, _ number: Int
    ) {
        if answer.status == 200 { judgeTag(of: answer, .string("changed"), number) }
        guard answer.status == 412 else { return }
        restClients[number].note(
            "\(path), where nobody else writes, is said to be changed: \(answer.text)")
    }

    // MARK: What is refused, and what nodes say of themselves

    private mutating func judge(
        _ answer: RestAnswer, to malformed: MalformedRequest, _ open: RestClient.Open, _ number: Int
    ) {
        if answer.status == 503, mayHaveRefused(number, since: open) { return }
        restClients[number].count(.malformedRequestsAreRefused)
        let error = (try? reader.parse(answer.text))?[Key(unchecked: "error")] ?? .null
        let isRight =
            answer.status == malformed.status && answer.closes == malformed.closes
            && (!error.isNull || malformed.status == 404)
        if isRight { return }
        restClients[number].tally.note(
            .malformedRequestsAreRefused,
            "\(malformed.name) got \(answer.status) \(answer.text)\(answer.closes ? ", and the end" : ""), not "
                + "\(malformed.status)\(malformed.closes ? " and the end" : "")")
    }

    private mutating func judgeHealth(
        _ answer: RestAnswer, _ open: RestClient.Open, _ number: Int
    ) {
        restClients[number].count(.nodesReportTheTruth)
        let isTrue = mayHaveBeen(number, since: open) { state in
            let (status, word) =
                switch state {
                case .serving: (200, "ok")
                case .impaired(let reason), .unavailable(let reason): (503, reason)
                }
            return answer.status == status && answer.text == "{\"status\":\"\(word)\"}\n"
        }
        if isTrue { return }
        let problem = "\(host(of: number)) says \(answer.status) \(answer.text)"
        restClients[number].tally.note(.nodesReportTheTruth, problem)
    }

    private mutating func judgeMetrics(
        _ answer: RestAnswer, since before: PortCounts, _ number: Int
    ) {
        expect(answer, 200, "/metrics", number)
        restClients[number].count(.nodesReportTheTruth)
        let after = nodes[restClients[number].node].portCounts
        guard let problem = MetricsReading(answer.text).problem(from: before, to: after)
        else { return }
        let report = "\(host(of: number)) at \(now.description): \(problem)"
        restClients[number].tally.note(.nodesReportTheTruth, report)
    }
}

extension Workload.Request {
    /// What its answer shows, unless that depends on what was there: as a plain value without priorities.
    fileprivate var shownPlainly: Value? {
        guard path.isRoot, let write = writes.first, writes.count == 1,
            !write.value.containsDeferred
        else { return nil }
        return write.value.withoutPriorities
    }
}

extension ClientOperation.Kind {
    /// Whether a node is asked for a concern with it.
    fileprivate var isConcerned: Bool { if case .append = self { false } else { true } }
}
