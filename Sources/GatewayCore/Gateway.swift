internal import HTTPText
internal import SyncProtocol
internal import Tokens

/// All that clients send to a node's HTTP port, and all that they get: REST and streams of events over a replica.
///
/// It has no clock and no socket: equal gateways given equal inputs return equal outputs. Bytes go `received` → a request →
/// `ask`, and the replica's messages `answered` → an answer → `send`. A driver owns one, and does not copy it while in use.
public struct Gateway {
    private var connections: [SessionID: Connection] = [:]
    /// How many connections there are from each other machine.
    private var counts: [String: Int] = [:]
    private var context: GatewayContext
    private var nextCheckMilliseconds: UInt64 = 0

    /// How often deadlines are looked at.
    private static let checkMilliseconds: UInt64 = 500

    /// A gateway without connections, whose node does not serve yet.
    public init(_ configuration: GatewayConfiguration) {
        context = GatewayContext(configuration)
    }

    /// The memory and connections that its clients use.
    package var usage: GatewayUsage { context.usage(connections: connections.count) }

    /// The units of work in the open turn so far; a unit takes about a microsecond.
    package var turnUnits: Int { context.units }

    /// Whether the next turn has work without any input.
    package var hasDueWork: Bool { !context.hashing.isEmpty }

    /// Begins to count the units of a turn.
    package mutating func beginUnits() { context.units = 0 }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: GatewayInput) -> [GatewayOutput] {
        switch input {
        case .turnBegan(let moment): beginTurn(at: moment)
        case .opened(let id, let address): open(id, from: address)
        case .received(let id, let bytes): update(id) { $0.receive(bytes, &$1) }
        case .credential(let id, let text): update(id) { $0.receive(credential: text, &$1) }
        case .backpressured(let id): update(id) { $0.hold(&$1) }
        case .writable(let id): update(id) { $0.sendPart(&$1) }
        case .closed(let id): close(id)
        case .answered(let id, let answers): process(answers, for: id)
        case .trusts(let tokens): trust(tokens)
        case .hasRules(let hasRules, let database):
            context.authentication.setRules(hasRules, of: database)
        case .hasDatabase(let database):
            context.databases.locate(database, .here)
            context.authentication.setDatabase(database, exists: true)
        case .located(let database, let place): locate(database, at: place)
        case .placed(let database, let placement, let isCopied):
            context.databases.record(placement, of: database, isCopied: isCopied)
        case .contested(let database, let rival): contest(database, rival)
        case .members(let nodes, let evicted):
            (context.databases.members, context.databases.evicted) = (nodes, evicted)
        case .kept(let databases): context.databases.kept = databases
        case .reaches(let nodes): context.reachedNodes = nodes
        case .removed(let database):
            context.databases.remove(database)
            context.authentication.setDatabase(database, exists: false)
        case .knowsDatabases: context.databases.isComplete = true
        case .limits(let database, let limits):
            context.lasting.limits.setCataloged(limits, of: database)
        case .uses(let uses): context.databaseUses = uses
        case .peers(let reports): context.peerReports = reports
        case .backedUp(let id, let event): update(id) { $0.step(event, &$1) }
        case .lost(let database, let reason): lose(database, because: reason)
        case .became(let availability): become(availability)
        case .turnTook(let nanoseconds):
            context.metrics.turns.count(nanoseconds: nanoseconds)
        case .turnEnded: endTurn()
        }
        return context.removeOutputs()
    }

    /// Changes a connection in place, unless it is gone.
    private mutating func update(
        _ id: SessionID, _ body: (inout Connection, inout GatewayContext) -> Void
    ) {
        change(id, body)
        processSignals()
    }

    private mutating func change(
        _ id: SessionID, _ body: (inout Connection, inout GatewayContext) -> Void
    ) {
        guard let index = connections.index(forKey: id) else { return }
        body(&connections.values[index], &context)
        connections.values[index].updateKind(&context)
        connections.values[index].updateDatabase(&context)
    }

    /// Lets connections do what others, or sessions of none, want of them.
    private mutating func processSignals() {
        while let signals = context.removeSignals() {
            for (id, signal) in signals { change(id) { $0.process(signal, &$1) } }
        }
    }

    private mutating func process(_ answers: [SessionAnswer], for session: SessionID) {
        guard context.longPolls.contains(session) else {
            return update(context.connection(of: session)) { $0.process(answers, &$1) }
        }
        context.updateLongPoll(session, by: answers)
        processSignals()
    }

    private mutating func sendRefusal(of session: SessionID) {
        guard context.longPolls.contains(session) else {
            return update(context.connection(of: session)) { $0.sendRefusal(&$1) }
        }
        context.updateLongPoll(session) { session, _ in session.sendRefusal() }
        processSignals()
    }

    private mutating func trust(_ trust: TokenTrust) {
        context.authentication.trust(trust)
        context.reviewLongPolls()
        processSignals()
        for id in connections.keys.sorted() { update(id) { $0.reviewIdentity(&$1) } }
    }

    private mutating func become(_ availability: Availability) {
        context.availability = availability
        guard !availability.servesClients else { return }
        context.stopLongPolls()
        processSignals()
        for id in connections.keys.sorted() { update(id) { $0.stopServing(&$1) } }
    }
}

// MARK: - Databases

extension Gateway {
    /// Records the place of a database. If clients may not use it here, its sessions end.
    private mutating func locate(_ database: DatabaseName, at place: DatabasePlace) {
        context.authentication.setDatabase(database, exists: true)
        guard context.databases.locate(database, place), place != .here else { return }
        context.redirectLongPolls(of: database)
        processSignals()
        for id in connections.keys.sorted() where connections[id]?.database == database {
            update(id) { $0.leaveDatabase(&$1) }
        }
    }

    /// Records that a database was placed twice in the same epoch.
    private mutating func contest(_ database: DatabaseName, _ rival: DatabasePlacement) {
        context.databases.recordRival(rival, of: database)
        locate(database, at: .contested)
    }

    /// Ends the sessions of a database that the node cannot serve.
    private mutating func lose(_ database: DatabaseName, because reason: String) {
        context.stopLongPolls(of: database)
        processSignals()
        for id in connections.keys.sorted() where connections[id]?.database == database {
            update(id) { $0.loseDatabase(because: reason, &$1) }
        }
    }
}

// MARK: - Connections

extension Gateway {
    private mutating func open(_ id: SessionID, from address: RemoteAddress) {
        var connection = Connection(id, from: address, in: &context)
        if let reason = shortage(for: address) {
            connection.sendLast(Answer(.unavailable(reason)), &context)
        }
        connections[id] = connection
        if !address.isLoopback { counts[address.host, default: 0] += 1 }
    }

    private func shortage(for address: RemoteAddress) -> String? {
        let configuration = context.configuration
        if connections.count >= configuration.connectionLimit {
            return "it has \(configuration.connectionLimit) connections"
        }
        let limit = configuration.connectionLimitPerHost
        guard !address.isLoopback, counts[address.host, default: 0] >= limit else { return nil }
        return "it has \(limit) connections from \(address.host)"
    }

    private mutating func close(_ id: SessionID) {
        guard var connection = connections.removeValue(forKey: id) else { return }
        connection.end(&context)
        processSignals()
        let address = connection.address
        guard !address.isLoopback, let count = counts[address.host] else { return }
        counts[address.host] = count > 1 ? count - 1 : nil
    }

    private mutating func endTurn() {
        context.texts.removeAll()
        if let line = context.metrics.ends.removeReport(at: context.elapsedMilliseconds) {
            context.output(.log(line))
        }
    }

    /// Computes hashes for the connections that wait for them, one after the other, up to the units of a turn.
    private mutating func continueHashing() {
        if context.hashing.isEmpty { return }
        let waiting = context.hashing
        context.hashing = []
        let end = context.units + GatewayUnits.hashesOfTurn
        let share = max(GatewayUnits.hashStep, GatewayUnits.hashesOfTurn / waiting.count)
        var served = 0
        while served < waiting.count, context.units < end {
            update(waiting[served]) { $0.continueHashing(spending: share, &$1) }
            served += 1
        }
        context.hashing.insert(contentsOf: waiting[served...], at: 0)
        context.hashes.removeStale(at: context.elapsedMilliseconds) { _, _ in
            context.hashing.isEmpty
        }
    }

    private mutating func beginTurn(at moment: Moment) {
        context.beginTurn(at: moment)
        for session in context.removeDueRefusals() { sendRefusal(of: session) }
        for id in context.dueConsoles() { update(id) { $0.refreshConsole(&$1) } }
        continueHashing()
        guard moment.elapsedMilliseconds >= nextCheckMilliseconds else { return }
        nextCheckMilliseconds = moment.elapsedMilliseconds + Gateway.checkMilliseconds
        // Few are due, so that only these are sorted: equal gateways return equal outputs.
        let due = connections.indices.filter { connections.values[$0].isDue(in: context) }
        for id in due.map({ connections.keys[$0] }).sorted() { update(id) { $0.expire(&$1) } }
        context.checkLongPolls()
        processSignals()
    }
}
