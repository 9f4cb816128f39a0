import DataTree
import ReplicaCore
import SyncProtocol

// Clients: the events that concern them go to their actors.

extension SimulatedRun {
    /// Has a client act. Its place is empty meanwhile, so that it is changed in place.
    mutating func withClient(
        _ client: Int, _ body: (_ actor: inout any ClientActor, _ run: inout SimulatedRun) -> Void
    ) {
        var actor: any ClientActor = ActingClient(index: client)
        swap(&actor, &clients[client])
        body(&actor, &self)
        swap(&actor, &clients[client])
    }

    /// All clients of a type, in their order.
    func clients<Kind: ClientActor>(of type: Kind.Type) -> [Kind] {
        clients.compactMap { $0 as? Kind }
    }

    mutating func beginClients() {
        for client in scenario.clients.order { withClient(client) { $0.begin(in: &$1) } }
    }

    mutating func add(_ request: ScriptedRequest, to client: Int) {
        clients[client].add(request)
        schedule(.clientActs(client), after: 0)
    }

    /// Whether the timer of a client rings for nothing: it was set to an earlier time, or its reason is gone.
    mutating func ringsForNothing(_ client: Int) -> Bool {
        guard clients[client].hasTimer else { return false }
        if population.timers[client].isDue(at: now) { return clients[client].isGone }
        if population.timers[client].takeRing(at: now) { scheduleTurn(of: client) }
        return true
    }

    /// Sets the timer of a client to its next turn with something to do. A turn of each of thousands of clients every 40 ms would be
    /// most of the run's events.
    mutating func scheduleTurn(of client: Int) {
        guard let time = population.timers[client].set(after: now) else { return }
        queue.schedule(.clientTurns(client), at: time)
    }

    mutating func scheduleMove(of client: Int) {
        guard let move = scenario.clients.move else { return }
        schedule(.clientMoves(client), after: random.time(in: move))
    }

    mutating func move(_ client: Int) {
        if quiescence.hasBegun { return }
        scheduleMove(of: client)
        withClient(client) { $0.move(in: &$1) }
    }

    mutating func takeReply(_ frame: [UInt8], on connection: Int) {
        guard !connections[connection].isBroken, isCurrent(connection) else { return }
        withClient(connections[connection].client) {
            $0.takeReply(frame, on: connection, in: &$1)
        }
    }

    mutating func loseNode(_ connection: Int) {
        let isOrderly = !connections[connection].isBroken
        if connections[connection].isToPort { close(connection) }
        guard isCurrent(connection) else { return }
        withClient(connections[connection].client) {
            $0.loseNode(on: connection, isOrderly: isOrderly, in: &$1)
        }
    }

    /// Whether its client uses this connection now.
    @inline(__always)  // A call is given all of the run, and this is asked for each frame.
    func isCurrent(_ connection: Int) -> Bool {
        clients[connections[connection].client].uses(connection)
    }

    /// Clients send no more requests.
    mutating func stopClients() {
        probeUsers()
        for client in scenario.clients.order { withClient(client) { $0.stop(in: &$1) } }
    }

    // MARK: Failures of all clients

    mutating func noteUnreadable(_ error: FrameError) {
        quiescence.fail("a client cannot read what a node sent: \(error)")
    }

    /// The messages of a frame; an unreadable frame is a failure of the run.
    mutating func messages<Message: FrameMessage>(
        of type: Message.Type, in frame: [UInt8]
    ) -> [Received<Message>]? {
        do throws(FrameError) {
            return try FrameReader<Message>.messages(in: frame)
        } catch {
            noteUnreadable(error)
            return nil
        }
    }

    /// Records that a node refused a request for another reason than its stamp.
    mutating func noteRefusal(
        of operation: Int, _ code: ErrorCode, _ problem: String, by node: Int
    ) {
        guard ![.late, .undecided, .behind].contains(code) else { return }
        record.history.refusals.append(
            .init(operation: operation, node: node, problem: problem, time: now))
    }
}

extension ClientSettings {
    /// The order in which clients begin and stop: protocol clients first.
    fileprivate var order: [Int] {
        let library = count - protocolCount
        return Array(library..<count) + Array(0..<library) + Array(count..<total)
    }
}
