import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// Answers to clients of REST: whether they are right, and what follows from them.

extension RestClient {
    mutating func takeReply(_ bytes: [UInt8], on connection: Int, in run: inout SimulatedRun) {
        for (open, answer) in receive(bytes, at: run.now) {
            check(answer, to: open, in: &run)
        }
    }

    private mutating func check(
        _ answer: RestAnswer, to open: RestClient.Open, in run: inout SimulatedRun
    ) {
        count()
        switch open.question {
        case .read(let read): check(answer, to: read, open, in: &run)
        case .write(let request, let operation):
            check(answer, to: request, operation, open, in: &run)
        case .examine(let record, let tries): examined(answer, record, tries, open, in: &run)
        case .exchange(let record, let tries): exchanged(answer, record, tries, open, in: &run)
        case .claim(let path): if answer.status == 200 { changeOwn(path, in: &run) }
        case .changeOwn(let path): check(answer, toChangeOf: path, in: &run)
        case .malformed(let malformed): check(answer, to: malformed, open, in: &run)
        case .stall: expect(answer, 408, "a request without its end", in: &run)
        case .health: judgeHealth(answer, open, in: &run)
        case .metrics(let before): judgeMetrics(answer, since: before, in: &run)
        }
    }

    /// Whether the node may have been in one of these states since a request was sent.
    private func mayHaveBeen(
        since open: RestClient.Open, in run: inout SimulatedRun, _ isSuch: (Availability) -> Bool
    ) -> Bool {
        run.nodes[node].availabilities.values(from: open.asked).contains(
            where: isSuch)
    }

    private func mayHaveRefused(since open: RestClient.Open, in run: inout SimulatedRun) -> Bool {
        mayHaveBeen(since: open, in: &run) { $0 != .serving }
    }

    private mutating func expect(
        _ answer: RestAnswer, _ status: Int, _ what: String, in run: inout SimulatedRun
    ) {
        guard answer.status != status else { return }
        report("\(what) got \(answer.status) \(answer.text), not \(status)")
    }

    // MARK: Reads

    private mutating func check(
        _ answer: RestAnswer, to read: RestRead, _ open: RestClient.Open, in run: inout SimulatedRun
    ) {
        if answer.status == 503, mayHaveRefused(since: open, in: &run) { return }
        let trees = run.nodes[node].shownTrees.values(from: open.asked)
        count(.restReadsShowTheTree)
        if let problem = read.problem(with: answer, showing: trees, by: run.population.reader) {
            tally.report(.restReadsShowTheTree, "\(read) got \(problem)")
        }
        if let tag = answer.head.fields["etag"], !read.selection.query.isFiltered {
            tags[read.path] = tag
        }
    }

    // MARK: Writes

    private mutating func check(
        _ answer: RestAnswer, to request: Workload.Request, _ operation: Int,
        _ open: RestClient.Open, in run: inout SimulatedRun
    ) {
        switch answer.status {
        case 200: acknowledge(operation, request, answer, in: &run)
        case 503: finish(operation, .failed, in: &run)
        case 504: finish(operation, .unknown, in: &run)
        default:
            finish(operation, .failed, in: &run)
            report(
                "\(run.record.history.operations[operation]) got \(answer.status) \(answer.text)")
        }
        if answer.status == 503, !mayHaveRefused(since: open, in: &run) {
            report("a node that serves refused a write: \(answer.text)")
        }
    }

    private mutating func acknowledge(
        _ operation: Int, _ request: Workload.Request, _ answer: RestAnswer,
        in run: inout SimulatedRun
    ) {
        let shown = try? run.population.reader.parse(answer.text)
        if case .append(let list, _, let value) = request.kind {
            guard case .string(let name)? = shown?[Key(unchecked: "name")].content, !name.isEmpty
            else { return report("a push got \(answer.text)") }
            let key = Key(unchecked: name)
            run.record.history.operations[operation].kind = .append(
                list: list, key: key, value: value)
        } else if let expected = request.shownPlainly, shown != expected {
            report(
                "\(run.record.history.operations[operation]) got \(answer.text), not \(expected)")
        }
        finish(operation, .acknowledged, in: &run)
        if request.concern != nil, answer.head.fields["hearth-concern"] == nil,
            request.kind.isConcerned
        {
            report("a write with a concern was answered without one")
        }
    }

    // MARK: Transactions

    private mutating func examined(
        _ answer: RestAnswer, _ record: Int, _ tries: Int, _ open: RestClient.Open,
        in run: inout SimulatedRun
    ) {
        guard answer.status == 200 else {
            finish(transaction: record, .failed, in: &run)
            if answer.status != 503 || !mayHaveRefused(since: open, in: &run) {
                report("the read of a transaction got \(answer.status)")
            }
            return
        }
        exchange(answer, record, tries, in: &run)
    }

    /// Writes on condition of what an answer shows.
    private mutating func exchange(
        _ answer: RestAnswer, _ record: Int, _ tries: Int, in run: inout SimulatedRun
    ) {
        guard let tag = answer.head.fields["etag"],
            let old = try? run.population.reader.parse(answer.text)
        else {
            report("\(answer.status) \(answer.text) comes without an ETag")
            return finish(transaction: record, .failed, in: &run)
        }
        guard goesOn, tries < RestClient.triesLimit else {
            return finish(transaction: record, .failed, in: &run)
        }
        let path = run.record.history.transactions[record].path
        var new = Value.string("c\(index + 1)-\(record)-\(tries)")
        if path == ApplicationProgram.count {
            if case .integer(let count) = old.content {
                new = .integer(count + 1)
            } else {
                new = .integer(1)
            }
        }
        run.record.history.transactions[record].old = old
        run.record.history.transactions[record].new = new
        let bytes = RestText.request(
            "PUT", RestText.target(path), to: host(in: &run), fields: ["If-Match: \(tag)"],
            body: RestText.json(new))
        ask(.exchange(record: record, tries: tries + 1), bytes, in: &run)
    }

    private mutating func exchanged(
        _ answer: RestAnswer, _ record: Int, _ tries: Int, _ open: RestClient.Open,
        in run: inout SimulatedRun
    ) {
        switch answer.status {
        case 200:
            judgeTag(of: answer, run.record.history.transactions[record].new, in: &run)
            finish(transaction: record, .acknowledged, in: &run)
        // The condition does not hold, and the node could no longer read the current value.
        case 412 where answer.head.fields["etag"] == nil && mayHaveRefused(since: open, in: &run):
            finish(transaction: record, .failed, in: &run)
        case 412: exchange(answer, record, tries, in: &run)
        case 503: finish(transaction: record, .failed, in: &run)
        case 504: finish(transaction: record, .unknown, in: &run)
        default:
            finish(transaction: record, .failed, in: &run)
            report("a transaction got \(answer.status) \(answer.text)")
        }
    }

    /// The answer to a write on condition has the ETag of what is there now, for the next one.
    private mutating func judgeTag(of answer: RestAnswer, _ new: Value, in run: inout SimulatedRun)
    {
        let tag = answer.head.fields["etag"]
        if tag == DataHash(of: new).text { return }
        report(
            "the write of \(new) on condition is answered with the ETag \(tag ?? "of nothing")")
    }

    // MARK: Places of one's own

    private mutating func changeOwn(_ path: Path, in run: inout SimulatedRun) {
        guard goesOn else { return }
        let tag = DataHash(of: RestClient.claim).text
        let bytes = RestText.request(
            "PUT", RestText.target(path), to: host(in: &run), fields: ["If-Match: \(tag)"],
            body: "\"changed\"")
        ask(.changeOwn(path), bytes, in: &run)
    }

    /// A condition at a location without other writers holds, whichever node decides.
    private mutating func check(
        _ answer: RestAnswer, toChangeOf path: Path, in run: inout SimulatedRun
    ) {
        if answer.status == 200 { judgeTag(of: answer, .string("changed"), in: &run) }
        guard answer.status == 412 else { return }
        report(
            "\(path), where nobody else writes, is said to be changed: \(answer.text)")
    }

    // MARK: What is refused, and what nodes say of themselves

    private mutating func check(
        _ answer: RestAnswer, to malformed: MalformedRequest, _ open: RestClient.Open,
        in run: inout SimulatedRun
    ) {
        if answer.status == 503, mayHaveRefused(since: open, in: &run) { return }
        count(.malformedRequestsAreRefused)
        let error =
            (try? run.population.reader.parse(answer.text))?[Key(unchecked: "error")] ?? .null
        let isRight =
            answer.status == malformed.status && answer.closes == malformed.closes
            && (!error.isNull || malformed.status == 404)
        if isRight { return }
        tally.report(
            .malformedRequestsAreRefused,
            "\(malformed.name) got \(answer.status) \(answer.text)\(answer.closes ? ", and the end" : ""), not "
                + "\(malformed.status)\(malformed.closes ? " and the end" : "")")
    }

    private mutating func judgeHealth(
        _ answer: RestAnswer, _ open: RestClient.Open, in run: inout SimulatedRun
    ) {
        count(.nodesReportTheTruth)
        let isTrue = mayHaveBeen(since: open, in: &run) { state in
            // A cluster with secrets or tokens shows no names of nodes.
            [true, false].contains { hasNames in
                let reason = state.reason(withNames: hasNames)
                return answer.status == (reason == nil ? 200 : 503)
                    && answer.text == "{\"status\":\"\(reason ?? "ok")\"}\n"
            }
        }
        if isTrue { return }
        let problem = "\(host(in: &run)) says \(answer.status) \(answer.text)"
        tally.report(.nodesReportTheTruth, problem)
    }

    private mutating func judgeMetrics(
        _ answer: RestAnswer, since before: PortCounts, in run: inout SimulatedRun
    ) {
        expect(answer, 200, "/metrics", in: &run)
        count(.nodesReportTheTruth)
        let after = run.nodes[node].portCounts
        guard let problem = MetricsReading(answer.text).problem(from: before, to: after)
        else { return }
        let report = "\(host(in: &run)) at \(run.now.description): \(problem)"
        tally.report(.nodesReportTheTruth, report)
    }
}

extension Workload.Request {
    /// The value that the answer shows, without priorities; nil if it depends on the former value.
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
