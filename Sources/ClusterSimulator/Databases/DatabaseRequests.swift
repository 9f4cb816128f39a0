import SyncProtocol

// The clients of a run with several databases.

extension DatabasesRun {
    /// How long a client waits until its request counts as one that is never answered.
    private static let patienceMilliseconds: UInt64 = 25_000
    /// How long a listener of a removed database may stay connected to a node that knows of the removal.
    private static let endMilliseconds: UInt64 = 2_000
    /// The most databases, with the default one.
    private var limit: Int { scenario.databases.count + 2 }

    // MARK: Requests

    mutating func sendRequest() {
        let node = random.index(below: nodes.count)
        guard nodes[node].core?.isServing == true else { return }
        let name = names[random.index(below: names.count)]
        let key = clients.freshKey
        switch random.index(below: 40) {
        case 0: addOrRemove(at: node)
        case 1..<16: read(at: node)
        case 16..<19:
            let until = milliseconds + 300 + random.number(below: 3_000)
            let fields = "Accept: text/event-stream\r\n"
            send(
                DatabaseRequest(
                    .listen(untilMilliseconds: until), "GET", name, "", at: node, fields: fields))
        case 19..<22:
            let body = #"{".sv":{"increment":1}}"#
            send(DatabaseRequest(.increment, "PUT", name, "sum", at: node, body: body))
        case 22..<24: prepare(name, at: node)
        default: send(DatabaseRequest(.write, "PUT", name, key, at: node, body: "\"\(name)\""))
        }
    }

    private mutating func prepare(_ name: String, at node: Int, isLast: Bool = false) {
        var request = DatabaseRequest(
            .prepare, "GET", name, "count", at: node, fields: "X-Firebase-ETag: true\r\n")
        request.isLast = isLast
        send(request)
    }

    private mutating func read(at node: Int) {
        let count = clients.acknowledged.count
        guard count > 0 else { return }
        let write = clients.acknowledged[count - 1 - random.index(below: min(30, count))]
        var request = DatabaseRequest(.read, "GET", write.database, write.key, at: node)
        request.writeMilliseconds = write.milliseconds
        send(request)
    }

    /// Whether an answer to a read that a node gets now has to contain the value.
    private func isCertain(_ request: DatabaseRequest) -> Bool {
        guard let written = request.writeMilliseconds else { return false }
        return isCalm && written + 500 < milliseconds
            && !clients.removing.contains(request.database)
            && isComplete(request.database, at: request.node)
    }

    /// Whether a node that serves a database must have all operations of it: it knew when the database woke that it reaches
    /// the others, and nothing has happened since.
    private func isComplete(_ database: String, at node: Int) -> Bool {
        let name = DatabaseName(database)!
        if name.isDefault { return false }
        guard let opening = nodes[node].openings[name] else { return nodes[node].reachesAll }
        return opening.reachesAll && opening.milliseconds >= calmSinceMilliseconds
    }

    /// Adds a database, or removes one of those that were added.
    private mutating func addOrRemove(at node: Int) {
        if names.count < limit {
            addedCount += 1
            return names.append("extra-\(addedCount)")
        }
        let name = names.remove(at: scenario.databases.count)
        send(DatabaseRequest(.remove, "DELETE", settingsOf: name, at: node))
    }

    mutating func send(_ request: DatabaseRequest) {
        var request = request
        request.sinceMilliseconds = milliseconds
        request.isCertain = isCertain(request)
        // The catalog has no name for clients.
        request.isRemoved =
            DatabaseName(request.database).map { nodes[request.node].removed[$0] != nil } ?? false
        let sent = clients.add(request)
        nodes[sent.node].connect(sent.session, sending: sent.text)
        record.statistics.operations += 1
        record.trace(
            "\(nodes[sent.node].name) gets \(sent.session.number), \(sent.aim) \(sent.key)",
            of: sent.database)
    }

    // MARK: Answers

    mutating func checkRequests() {
        for request in clients.open {
            if case .listen(let end) = request.aim {
                checkListener(request, until: end)
            } else {
                check(request)
            }
        }
    }

    /// Ends a request that was answered, or that lost its connection.
    private mutating func check(_ request: DatabaseRequest) {
        let answer = DatabaseAnswer(nodes[request.node].sent(to: request.session))
        let isLost = !nodes[request.node].isConnected(request.session)
        if answer.status.isEmpty, !isLost {
            guard milliseconds >= request.sinceMilliseconds + Self.patienceMilliseconds else {
                return
            }
            record.add(
                .answer, "request \(request.session.number) was not answered",
                in: request.database)
        } else {
            record.count(.answer)
        }
        close(request)
        record.hash.combine(request.session.number)
        record.hash.combine(answer.status + answer.body)
        record.trace(
            "\(request.session.number) gets \(isLost ? "no more, " : "")\(answer.status) \(answer.body)",
            of: request.database)
        if let redirect = answer.redirect { return follow(redirect, with: request) }
        count(answer)
        apply(answer, to: request)
    }

    /// Sends a request to the node that a redirect names. If it names one that knew of it already, the client may never arrive.
    private mutating func follow(
        _ redirect: DatabaseAnswer.Redirect, with request: DatabaseRequest
    ) {
        record.count(.redirect)
        if request.redirects.contains(redirect) {
            record.add(
                .redirect,
                "request \(request.session.number) is redirected twice to n\(redirect.node + 1) in "
                    + "epoch \(redirect.epoch)", in: request.database)
        } else if nodes[redirect.node].core?.isServing == true {
            send(request.following(redirect))
        }
    }

    private mutating func close(_ request: DatabaseRequest) {
        clients.remove(request)
        nodes[request.node].close(request.session)
    }

    private mutating func count(_ answer: DatabaseAnswer) {
        switch answer.status {
        case "200": record.statistics.acknowledged += 1
        case "": record.statistics.unknown += 1
        default: record.statistics.failed += 1
        }
    }

    private mutating func apply(_ answer: DatabaseAnswer, to request: DatabaseRequest) {
        let isRight = answer.status == "200"
        if request.isRemoved { checkRemoved(request, isServed: isRight) }
        if request.isLast, !isRight {
            record.add(
                .goOn, "at rest, \(request.aim) gets \(answer.status) \(answer.body)",
                in: request.database)
        }
        if isRight, request.isForData { checkPlace(of: request) }
        switch request.aim {
        case .write: if isRight { clients.acknowledge(request, at: milliseconds) }
        case .remove: if isRight { clients.removed.insert(request.database) }
        case .increment, .transact:
            // A transaction that was refused has not happened.
            if isRight || request.aim == .increment || answer.status != "412" {
                clients.add(increment: request, isAcknowledged: isRight)
            }
        case .prepare: if isRight { transact(answer, after: request) }
        case .read: if isRight { check(answer.body, of: request) }
        case .listen: break
        case .command(let number): receive(answer, of: number, at: request.node)
        }
    }

    /// Writes the next number if the value is still the one that was read.
    private mutating func transact(_ answer: DatabaseAnswer, after read: DatabaseRequest) {
        guard let number = answer.body == "null" ? 0 : Int(answer.body) else {
            return record.add(
                .apart, "\(read.key) of \(read.database) reads \(answer.body)", in: read.database)
        }
        var request = DatabaseRequest(
            .transact, "PUT", read.database, read.key, at: read.node,
            fields: "if-match: \(answer.tag)\r\n", body: "\(number + 1)")
        request.isLast = read.isLast
        send(request)
    }

    private mutating func check(_ body: String, of request: DatabaseRequest) {
        let isServed = body == "\"\(request.database)\""
        if isServed {
            record.count(.apart)
            if request.isCertain { record.count(.complete) }
        } else if body != "null" {
            record.add(
                .apart, "\(request.database) reads \(body) at \(request.key)",
                in: request.database)
        } else if request.isCertain, faultMilliseconds < request.sinceMilliseconds {
            record.add(
                .complete, "n\(request.node + 1) serves \(request.database) without \(request.key)",
                in: request.database)
        }
    }

    private mutating func checkRemoved(_ request: DatabaseRequest, isServed: Bool) {
        guard isServed, request.aim != .remove else { return record.count(.removed) }
        record.add(
            .removed, "n\(request.node + 1) serves \(request.database), which was removed",
            in: request.database)
    }

    // MARK: Listeners

    private mutating func checkListener(_ request: DatabaseRequest, until end: UInt64) {
        let node = nodes[request.node]
        let answer = DatabaseAnswer(node.sent(to: request.session))
        let isLost = !node.isConnected(request.session) || !["", "200"].contains(answer.status)
        let removal = node.removed[DatabaseName(request.database)!]
        let isOver = removal.map { milliseconds > $0 + Self.endMilliseconds } ?? false
        if isOver, !isLost, node.pausedUntilMilliseconds + Self.endMilliseconds < milliseconds,
            request.sinceMilliseconds + Self.endMilliseconds < milliseconds
        {
            record.add(
                .removed, "\(node.name) still has a listener of the removed \(request.database)",
                in: request.database)
        } else if milliseconds < end, !isLost {
            return
        }
        let text = String(decoding: node.sent(to: request.session), as: UTF8.self)
        record.hash.combine(text.utf8.count)
        close(request)
        if let redirect = answer.redirect { return follow(redirect, with: request) }
        record.count(.apart)
        for name in names where name != request.database && text.contains("\"\(name)\"") {
            record.add(
                .apart, "a listener of \(request.database) receives data of \(name)",
                in: request.database)
        }
    }
}

// MARK: - The last use

extension DatabasesRun {
    /// How long a database may take until all operations from before it woke are stable: longer than the retry window.
    private static let stableMilliseconds: UInt64 = 7_000

    /// Uses each database once more: a transaction succeeds, and the stable time passes the moment of its request.
    mutating func useAllAgain() {
        record.trace("all databases are used again")
        let start = 1_700_000_000_000 + milliseconds
        let databases = names.filter { !clients.removing.contains($0) }
        for name in databases {
            let node = random.index(below: nodes.count)
            let end = milliseconds + Self.stableMilliseconds + 1_000
            let fields = "Accept: text/event-stream\r\n"
            send(
                DatabaseRequest(
                    .listen(untilMilliseconds: end), "GET", name, "", at: node, fields: fields))
            prepare(name, at: node, isLast: true)
        }
        run(for: Self.stableMilliseconds)
        for name in databases { checkStability(of: name, since: start) }
    }

    private mutating func checkStability(of name: String, since start: UInt64) {
        record.count(.goOn)
        for node in nodes where node.holds(DatabaseName(name)!) {
            let stable = node.stableMilliseconds(of: DatabaseName(name)!)
            if stable ?? 0 >= start { continue }
            let delay = stable.map { "is \(start - $0) ms behind" } ?? "has no replica"
            record.add(.goOn, "the stable time of \(name) at \(node.name) \(delay)", in: name)
        }
    }
}
