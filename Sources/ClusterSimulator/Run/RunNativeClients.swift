import SyncProtocol

// What native clients do besides: they say what they have seen, stamp, and ask again.

extension VirtualClient {
    /// How long it asks for what no node can decide, as the SDK does.
    static let outcomePatience: Microseconds = .seconds(10)
    /// How long it looks for a node that holds what it has seen.
    static let sessionPatience: Microseconds = .seconds(10)

    /// Whether the pending request is not on its way.
    var mayAskAgain: Bool { connection == nil || session?.isReady == false }

    /// Gives the pending request its stamp.
    mutating func prepare(at now: Microseconds, _ defect: PlantedDefect?) {
        pending?.wasSent = true
        guard session != nil, let request = pending?.request, !request.writes.isEmpty else {
            return
        }
        if defect == .restampsRetries, pending?.mayBeDone == true { pending?.stamp = nil }
        if pending?.stamp == nil { pending?.stamp = session?.clock.next(at: now / 1_000) }
    }

    /// Its connection is over.
    mutating func leave(wasRefused: Bool) {
        session?.isReady = false
        if pending?.wasSent == true, !wasRefused { pending?.mayBeDone = true }
        pending?.wasSent = false
    }
}

extension SimulatedRun {
    mutating func greet(_ client: Int) {
        let since = clients[client].session?.lookingSince ?? now
        clients[client].session?.lookingSince = since
        if now - since >= VirtualClient.sessionPatience {
            clients[client].session?.seen = VersionVector()
            clients[client].session?.lookingSince = nil
            clients[client].session?.number += 1
        }
        let id = clients[client].nextID()
        clients[client].pending?.id = id
        send(.hello(id: id, seen: clients[client].session?.seen ?? VersionVector()), from: client)
        schedule(.clientGivesUp(client, request: id), after: scenario.clients.patience)
    }

    mutating func begin(
        _ client: Int, _ id: UInt64, at wall: UInt64, _ time: HybridTime, holding: VersionVector
    ) {
        guard clients[client].pending?.id == id else { return }
        clients[client].session?.isReady = true
        clients[client].session?.lookingSince = nil
        clients[client].session?.seen = holding
        clients[client].session?.clock.follow(wallMilliseconds: wall, at: now / 1_000)
        clients[client].session?.clock.observe(time)
        ask(client)
    }

    /// Takes a refusal after which a native client asks again; false if it does not.
    mutating func takeFailure(_ code: ErrorCode, of id: UInt64, _ client: Int) -> Bool {
        guard let pending = clients[client].pending, pending.id == id,
            clients[client].session != nil
        else { return false }
        switch code {
        case .behind, .unavailable:
            clients[client].pending?.wasSent = false
            goElsewhere(client)
        case .late where defect == .takesLateForDone: complete(client, id, .acknowledged)
        case .late, .undecided: askAgain(client, isDecided: code == .late || !pending.mayBeDone)
        default: return false
        }
        return true
    }

    private mutating func askAgain(_ client: Int, isDecided: Bool) {
        clients[client].session?.isReady = false
        clients[client].pending?.wasSent = false
        if isDecided {
            clients[client].pending?.mayBeDone = false
            clients[client].pending?.stamp = nil
            return ask(client)
        }
        let since = clients[client].pending?.undecidedSince ?? now
        clients[client].pending?.undecidedSince = since
        if now - since >= VirtualClient.outcomePatience { finish(client, .unknown) }
        schedule(.clientActs(client), after: .milliseconds(200))
    }
}
