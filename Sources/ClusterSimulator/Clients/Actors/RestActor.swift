import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// REST: the requests and connections of its clients.

extension RestClient: ClientActor {
    var lastNode: Int? { node }

    func uses(_ connection: Int) -> Bool { self.connection == connection }

    func unrest(in run: SimulatedRun) -> String? {
        open.isEmpty && closingSince == nil
            ? nil : "waits for answers, or for the end of its connection"
    }

    mutating func begin(in run: inout SimulatedRun) { scheduleAct(in: &run) }

    private mutating func scheduleAct(in run: inout SimulatedRun) {
        let pace = random.time(in: run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
    }

    mutating func act(in run: inout SimulatedRun) {
        guard remaining > 0 else { return }
        remaining -= 1
        changePace(in: &run)
        noteUnclosed(in: &run)
        if connection == nil { connect(in: &run) }
        switch random.index(below: 30) {
        case 0: leave(in: &run)
        case 1 where mayAsk: stall(in: &run)
        default: if mayAsk { askNext(in: &run) }
        }
        scheduleAct(in: &run)
    }

    /// Now and then a client does not read until its next step.
    private mutating func changePace(in run: inout SimulatedRun) {
        let since = slowSince
        guard since != nil || random.index(below: 12) == 0,
            let connection = self.connection
        else { return }
        guard let since else {
            slowSince = run.now
            return run.stopReading(on: connection)
        }
        slowSince = nil
        if run.now > since + .seconds(1) { hasBeenSlow = true }
        run.readAgain(on: connection)
    }

    mutating func stop(in run: inout SimulatedRun) {
        if slowSince != nil { changePace(in: &run) }
        remaining = 0
    }

    // MARK: Requests

    private mutating func askNext(in run: inout SimulatedRun) {
        switch random.index(below: 20) {
        case 0, 1: askMalformed(in: &run)
        case 2: ask(.health, RestText.request("GET", "/health", to: host(in: &run)), in: &run)
        case 3:
            let counts = run.nodes[node].portCounts
            let bytes = RestText.request("GET", "/metrics", to: host(in: &run))
            ask(.metrics(before: counts), bytes, in: &run)
        case 12: claim(in: &run)
        case 4, 5: if !isTransacting { transact(in: &run) }
        case 6...11:
            askRead(
                at: RestClient.places[
                    random.index(below: RestClient.places.count)], in: &run)
        default: askWorkload(in: &run)
        }
    }

    func host(in run: inout SimulatedRun) -> String { run.nodes[node].name }

    /// Sends a request, for whose answer some clients wait only for a while.
    mutating func ask(_ question: RestClient.Question, _ bytes: [UInt8], in run: inout SimulatedRun)
    {
        guard let connection = self.connection else { return }
        let request = ask(question, at: run.now)
        run.send(bytes: bytes, on: connection)
        guard random.index(below: 6) == 0 else { return }
        run.schedule(
            .clientGivesUp(index, request: request),
            after: run.scenario.clients.patience)
    }

    private mutating func askMalformed(in run: inout SimulatedRun) {
        let malformed = MalformedRequest.draw(&random)
        ask(.malformed(malformed), malformed.bytes(to: host(in: &run)), in: &run)
    }

    private mutating func askRead(at path: Path, in run: inout SimulatedRun) {
        let tags = self.tags
        let read = RestRead(at: path, knowing: tags, &random)
        ask(.read(read), read.bytes(to: host(in: &run)), in: &run)
    }

    private mutating func askWorkload(in run: inout SimulatedRun) {
        let milliseconds = VirtualClock.beginning + run.now / 1_000
        guard
            let request = requests.next(
                run.population.workload, keyMilliseconds: milliseconds)
        else { return }
        if case .get(let path) = request.kind { return askRead(at: path, in: &run) }
        let bytes = request.rest(to: host(in: &run), &random)
        run.record.history.operations.append(
            ClientOperation(
                client: index, kind: request.kind,
                fingerprint: request.fingerprint, invoked: run.now))
        ask(.write(request, operation: run.record.history.operations.count - 1), bytes, in: &run)
    }

    private mutating func transact(in run: inout SimulatedRun) {
        let isCount = random.index(below: 2) == 0
        let path = isCount ? ApplicationProgram.count : ApplicationProgram.register
        run.record.history.transactions.append(
            TransactionRecord(client: index, path: path, invoked: run.now))
        let bytes = RestText.request(
            "GET", RestText.target(path), to: host(in: &run), fields: ["X-Firebase-ETag: true"])
        ask(.examine(record: run.record.history.transactions.count - 1, tries: 0), bytes, in: &run)
    }

    /// Writes at a place of its own; once that is done, on condition that it is there.
    private mutating func claim(in run: inout SimulatedRun) {
        let path = nextOwnPlace()
        let bytes = RestText.request(
            "PUT", RestText.target(path), to: host(in: &run),
            body: RestText.json(RestClient.claim))
        ask(.claim(path), bytes, in: &run)
    }

    /// Sends a beginning, and then nothing.
    private mutating func stall(in run: inout SimulatedRun) {
        let whole = RestText.request("PUT", "/data/a.json", to: host(in: &run), body: "\"never\"")
        let count = 1 + random.index(below: whole.count - 1)
        ask(.stall, Array(whole[..<count]), in: &run)
    }

    // MARK: Connections

    private mutating func connect(in run: inout SimulatedRun) {
        let node = nextNode()
        let connection = run.openPort(index, to: node)
        connect(on: connection, at: run.now)
    }

    private mutating func leave(in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        run.close(connection)
        forgetOpen(in: &run)
    }

    mutating func giveUp(_ request: UInt64, in run: inout SimulatedRun) {
        guard open.contains(where: { $0.number == request }) else { return }
        leave(in: &run)
    }

    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {
        let idle = run.now - lastHeard
        let isDue = closingSince != nil || idle >= RestClient.idleLimit
        if isOrderly, !isDue, !hasBeenSlow {
            report("a node has closed a connection after \(idle.description)")
        }
        forgetOpen(in: &run)
    }

    /// Gives up the open requests: their connection is gone, so no answer can arrive.
    private mutating func forgetOpen(in run: inout SimulatedRun) {
        for open in loseConnection() {
            switch open.question {
            case .write(_, let operation): finish(operation, .unknown, in: &run)
            case .examine(let record, _): finish(transaction: record, .failed, in: &run)
            case .exchange(let record, _): finish(transaction: record, .unknown, in: &run)
            case .read, .claim, .changeOwn, .malformed, .stall, .health, .metrics: break
            }
        }
    }

    /// A node that says that it closes the connection does so.
    private mutating func noteUnclosed(in run: inout SimulatedRun) {
        guard let since = closingSince, run.now > since + .seconds(2),
            let connection = self.connection, !run.connections[connection].isBroken
        else { return }
        report("a node has not closed the connection that it wanted to close")
        leave(in: &run)
    }

    // MARK: Outcomes

    mutating func finish(
        _ operation: Int, _ outcome: ClientOperation.Outcome, in run: inout SimulatedRun
    ) {
        run.record.history.operations[operation].outcome = outcome
        run.record.history.operations[operation].completed = run.now
        run.record.history.operations[operation].node = node
    }

    mutating func finish(
        transaction record: Int, _ outcome: ClientOperation.Outcome, in run: inout SimulatedRun
    ) {
        run.record.history.transactions[record].outcome = outcome
        run.record.history.transactions[record].completed = run.now
        run.record.history.transactions[record].node = node
    }
}

extension RestClient {
    /// A node closes no connection that was idle for a shorter time, as its client sees it.
    fileprivate static let idleLimit: Microseconds = .milliseconds(1_900)

    /// Where it reads.
    fileprivate static let places: [Path] = [
        [], ["data"], ["data", "a"], ["board"], ["board"], ["lists", "l1"], ["counters"], ["pair"],
        ["data", "7", "b"], ["nothing", "here"],
    ].map { (keys: [String]) in Path(keys.map { Key(unchecked: $0) }) }
}

extension Workload.Request {
    /// The request as a client of REST sends it.
    fileprivate func rest(to host: String, _ random: inout SplitMix64) -> [UInt8] {
        var fields: [String] = []
        if let concern { fields.append("Hearth-Concern: \(concern.rawValue)") }
        if random.index(below: 8) == 0 { fields.append("Expect: 100-continue") }
        if case .append(let list, _, let value) = kind {
            return RestText.request(
                "POST", RestText.target(list), to: host, body: RestText.json(value))
        }
        guard path.isRoot, let write = writes.first else {
            return RestText.request(
                "PATCH", RestText.target(path), to: host, fields: fields,
                body: RestText.json(writes))
        }
        let target = RestText.target(write.path)
        if write.value.isNull, random.index(below: 2) == 0 {
            return RestText.request("DELETE", target, to: host, fields: fields)
        }
        let body = RestText.json(write.value)
        return random.index(below: 4) == 0
            ? RestText.chunked("PUT", target, to: host, fields: fields, body: body)
            : RestText.request("PUT", target, to: host, fields: fields, body: body)
    }
}
