import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// Clients of REST: what they send, and how they come and go.

extension SimulatedRun {
    mutating func begin(restClient number: Int) { scheduleAct(ofRestClient: number) }

    private mutating func scheduleAct(ofRestClient number: Int) {
        let pace = restClients[number].random.time(in: scenario.clients.pace)
        schedule(.clientActs(restClients[number].index), after: pace)
    }

    mutating func act(restClient number: Int) {
        guard restClients[number].remaining > 0 else { return }
        restClients[number].remaining -= 1
        changePace(ofRestClient: number)
        noteUnclosed(number)
        if restClients[number].connection == nil { connect(restClient: number) }
        switch restClients[number].random.index(below: 30) {
        case 0: leave(restClient: number)
        case 1 where restClients[number].mayAsk: stall(number)
        default: if restClients[number].mayAsk { askNext(restClient: number) }
        }
        scheduleAct(ofRestClient: number)
    }

    /// Now and then a client does not read until its next step.
    private mutating func changePace(ofRestClient number: Int) {
        let since = restClients[number].slowSince
        guard since != nil || restClients[number].random.index(below: 12) == 0,
            let connection = restClients[number].connection
        else { return }
        guard let since else {
            restClients[number].slowSince = now
            return stopReading(on: connection)
        }
        restClients[number].slowSince = nil
        if now > since + .seconds(1) { restClients[number].hasBeenSlow = true }
        readAgain(on: connection)
    }

    /// Clients do nothing more of themselves.
    mutating func stopRestClients() {
        for number in restClients.indices {
            if restClients[number].slowSince != nil { changePace(ofRestClient: number) }
            restClients[number].remaining = 0
        }
    }

    // MARK: Requests

    private mutating func askNext(restClient number: Int) {
        switch restClients[number].random.index(below: 20) {
        case 0, 1: askMalformed(number)
        case 2: ask(.health, RestText.request("GET", "/health", to: host(of: number)), number)
        case 3:
            let counts = nodes[restClients[number].node].portCounts
            let bytes = RestText.request("GET", "/metrics", to: host(of: number))
            ask(.metrics(before: counts), bytes, number)
        case 12: claim(number)
        case 4, 5: if !restClients[number].isTransacting { transact(number) }
        case 6...11:
            askRead(
                at: RestClient.places[
                    restClients[number].random.index(below: RestClient.places.count)], number)
        default: askWorkload(number)
        }
    }

    func host(of number: Int) -> String { nodes[restClients[number].node].name }

    /// Sends a request, for whose answer some clients wait only for a while.
    mutating func ask(_ question: RestClient.Question, _ bytes: [UInt8], _ number: Int) {
        guard let connection = restClients[number].connection else { return }
        let request = restClients[number].ask(question, at: now)
        send(bytes: bytes, on: connection)
        guard restClients[number].random.index(below: 6) == 0 else { return }
        schedule(
            .clientGivesUp(restClients[number].index, request: request),
            after: scenario.clients.patience)
    }

    private mutating func askMalformed(_ number: Int) {
        let malformed = MalformedRequest.draw(&restClients[number].random)
        ask(.malformed(malformed), malformed.bytes(to: host(of: number)), number)
    }

    private mutating func askRead(at path: Path, _ number: Int) {
        let tags = restClients[number].tags
        let read = RestRead(at: path, knowing: tags, &restClients[number].random)
        ask(.read(read), read.bytes(to: host(of: number)), number)
    }

    private mutating func askWorkload(_ number: Int) {
        let milliseconds = VirtualClock.beginning + now / 1_000
        guard
            let request = restClients[number].requests.next(
                workload, keyMilliseconds: milliseconds)
        else { return }
        if case .get(let path) = request.kind { return askRead(at: path, number) }
        let bytes = request.rest(to: host(of: number), &restClients[number].random)
        history.operations.append(
            ClientOperation(
                client: restClients[number].index, kind: request.kind,
                fingerprint: request.fingerprint, invoked: now))
        ask(.write(request, operation: history.operations.count - 1), bytes, number)
    }

    private mutating func transact(_ number: Int) {
        let isCount = restClients[number].random.index(below: 2) == 0
        let path = isCount ? ApplicationProgram.count : ApplicationProgram.register
        history.transactions.append(
            TransactionRecord(client: restClients[number].index, path: path, invoked: now))
        let bytes = RestText.request(
            "GET", RestText.target(path), to: host(of: number), fields: ["X-Firebase-ETag: true"])
        ask(.examine(record: history.transactions.count - 1, tries: 0), bytes, number)
    }

    /// Writes at a place of its own; once that is done, on condition that it is there.
    private mutating func claim(_ number: Int) {
        let path = restClients[number].nextOwnPlace()
        let bytes = RestText.request(
            "PUT", RestText.target(path), to: host(of: number),
            body: RestText.json(RestClient.claim))
        ask(.claim(path), bytes, number)
    }

    /// Sends a beginning, and then nothing.
    private mutating func stall(_ number: Int) {
        let whole = RestText.request("PUT", "/data/a.json", to: host(of: number), body: "\"never\"")
        let count = 1 + restClients[number].random.index(below: whole.count - 1)
        ask(.stall, Array(whole[..<count]), number)
    }

    // MARK: Connections

    private mutating func connect(restClient number: Int) {
        let node = restClients[number].nextNode()
        let connection = openPort(restClients[number].index, to: node)
        restClients[number].connect(on: connection, at: now)
    }

    private mutating func leave(restClient number: Int) {
        guard let connection = restClients[number].connection else { return }
        close(connection)
        forgetOpen(number)
    }

    mutating func giveUp(restClient number: Int, request: UInt64) {
        guard restClients[number].open.contains(where: { $0.number == request }) else { return }
        leave(restClient: number)
    }

    mutating func loseNode(ofRestClient number: Int, orderly: Bool) {
        let idle = now - restClients[number].lastHeard
        let isDue = restClients[number].closingSince != nil || idle >= RestClient.idleLimit
        if orderly, !isDue, !restClients[number].hasBeenSlow {
            restClients[number].note("a node has closed a connection after \(idle.description)")
        }
        forgetOpen(number)
    }

    /// What has no answer never gets one.
    private mutating func forgetOpen(_ number: Int) {
        for open in restClients[number].loseConnection() {
            switch open.question {
            case .write(_, let operation): finish(operation, .unknown, number)
            case .examine(let record, _): finish(transaction: record, .failed, number)
            case .exchange(let record, _): finish(transaction: record, .unknown, number)
            case .read, .claim, .changeOwn, .malformed, .stall, .health, .metrics: break
            }
        }
    }

    /// A node that says that it closes the connection does so.
    private mutating func noteUnclosed(_ number: Int) {
        guard let since = restClients[number].closingSince, now > since + .seconds(2),
            let connection = restClients[number].connection, !connections[connection].isBroken
        else { return }
        restClients[number].note("a node has not closed the connection that it wanted to close")
        leave(restClient: number)
    }

    // MARK: Outcomes

    mutating func finish(
        _ operation: Int, _ outcome: ClientOperation.Outcome, _ number: Int
    ) {
        history.operations[operation].outcome = outcome
        history.operations[operation].completed = now
        history.operations[operation].node = restClients[number].node
    }

    mutating func finish(
        transaction record: Int, _ outcome: ClientOperation.Outcome, _ number: Int
    ) {
        history.transactions[record].outcome = outcome
        history.transactions[record].completed = now
        history.transactions[record].node = restClients[number].node
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
