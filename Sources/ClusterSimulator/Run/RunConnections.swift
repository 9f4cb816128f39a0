import ReplicaCore
import SyncProtocol

// Connections of clients to nodes.

extension SimulatedRun {
    /// How long an end of a broken connection takes to notice.
    static let heartbeatTimeout: Microseconds = .seconds(3)

    func endpoint(of client: Int) -> Int { nodes.count + client }

    /// Begins a connection, which a node without file handles does not accept.
    mutating func open(_ client: Int, to node: Int, _ port: PortEnd? = nil) -> Int {
        connections.append(
            Connection(
                client: client, node: node, incarnation: nodes[node].incarnation,
                isToPort: port != nil, isAccepted: nodes[node].hasHandles, port: port))
        return connections.count - 1
    }

    /// A node accepts the connections that waited for it, and the frames sent on them.
    mutating func acceptConnections(of node: Int) {
        for index in connections.indices
        where connections[index].node == node && !connections[index].isAccepted {
            connections[index].isAccepted = true
            let waiting = connections[index].waiting
            connections[index].waiting.removeAll()
            for frame in waiting { send(frame, on: index) }
        }
    }

    /// Records what a node did with the requests of its last turn.
    mutating func noteServings(of node: Int) {
        for served in nodes[node].record.takeServed() {
            guard served.session != SimulatedRun.operatorSession else { continue }
            let index = Int(served.session.number) - 1
            let messages = (try? FrameReader<ClientMessage>.messages(in: served.frame)) ?? []
            for case .message(let message) in messages {
                noteOnDisconnect(message, on: index, isRefused: served.requiresHello)
                guard let id = message.requestID,
                    let asked = connections[index].asked.last(where: { $0.id == id })
                else { continue }
                let (made, dot) = made(message.stamp, by: node, served.before, served.vector)
                record.history.operations[asked.operation].servings.append(
                    .init(
                        connection: index, node: node, time: now, before: served.before,
                        vector: served.vector, made: made, dot: dot))
            }
        }
    }

    private mutating func noteOnDisconnect(
        _ message: ClientMessage, on index: Int, isRefused: Bool
    ) {
        connections[index].onDisconnect.record(message)
        let isRequest =
            switch message.request {
            case .onDisconnect, .onDisconnectMerge, .onDisconnectCancel: true
            default: false
            }
        if isRequest, isRefused || nodes[connections[index].node].waitsForRoom {
            connections[index].onDisconnect.isVague = true
        }
    }

    /// The operation that a node made of a request, if it made one; and the one that the request is.
    private func made(
        _ stamp: Stamp?, by node: Int, _ before: VersionVector, _ vector: VersionVector
    ) -> (made: Dot?, dot: Dot?) {
        let writer = nodes[node].standing?.writer ?? WriterID(bits: 0)
        let isWrite = vector[writer] > before[writer]
        let made = isWrite ? Dot(origin: writer, sequence: vector[writer]) : nil
        return (made, made ?? stamp.flatMap { record.recording.dot(of: $0, in: vector) })
    }

    // Frames look at connections in their places: a copy of one costs as much as all that happens to the frame.

    mutating func send(_ frame: [UInt8], on index: Int) {
        let (client, node) = (connections[index].client, connections[index].node)
        guard !connections[index].isBroken,
            let delay = delay(from: endpoint(of: client), to: node, on: index)
        else { return }
        guard isListening(at: index) else {
            // No process accepts connections there.
            connections[index].breaks(at: now)
            connections[index].wasRefused = true
            return schedule(.clientLost(connection: index), after: delay)
        }
        guard connections[index].isAccepted else {
            return connections[index].waiting.append(frame)
        }
        let arrival = max(now + delay, connections[index].lastAtNode)
        connections[index].lastAtNode = arrival
        queue.schedule(.requested(connection: index, frame: frame), at: arrival)
    }

    /// Whether a process takes what is sent on a connection: one that starts has its HTTP port open.
    ///
    /// Mutating, or it would be given a copy of the run for each frame.
    private mutating func isListening(at index: Int) -> Bool {
        let node = connections[index].node
        guard nodes[node].incarnation == connections[index].incarnation else { return false }
        return connections[index].isToPort ? nodes[node].state != .down : nodes[node].isServing
    }

    mutating func reply(_ frame: [UInt8], to session: SessionID) {
        if session == SimulatedRun.operatorSession { return noteAnswer(frame) }
        if SimulatedRun.isHostile(session) { return }
        let index = Int(session.number) - 1
        observe { watch, run in watch.replied(frame, on: index, in: &run) }
        if connections[index].isGone { return replyToGone(on: index) }
        if connections[index].isClogged { return connections[index].unread.append(frame) }
        connections[index].sentFrames += 1
        if isCurrent(index) { deliver(frame, on: index) }
    }

    /// Sends a frame to a client that uses the connection.
    private mutating func deliver(_ frame: [UInt8], on index: Int) {
        let client = endpoint(of: connections[index].client)
        guard !connections[index].isBroken,
            let delay = delay(from: connections[index].node, to: client, on: index)
        else { return }
        let arrival = max(now + delay, connections[index].lastAtClient)
        connections[index].lastAtClient = arrival
        queue.schedule(.replied(connection: index, frame: frame), at: arrival)
    }

    /// The client of a connection stops reading.
    mutating func clog(connection index: Int) {
        let connection = connections[index]
        guard !connection.isClogged, !connection.isBroken, connection.isAccepted,
            nodes[connection.node].isServing,
            nodes[connection.node].incarnation == connection.incarnation
        else { return }
        connections[index].isClogged = true
        send(.backpressured(SimulatedRun.session(of: index)), on: index)
    }

    /// The client, which acts now, reads again, at first what has waited.
    mutating func drain(connection index: Int) {
        guard connections[index].isClogged else { return }
        connections[index].isClogged = false
        let unread = connections[index].unread
        connections[index].unread.removeAll()
        for frame in unread {
            connections[index].sentFrames += 1
            deliver(frame, on: index)
        }
        send(.writable(SimulatedRun.session(of: index)), on: index)
    }

    /// The operator is answered: a refused eviction must have no effect, now or later.
    private mutating func noteAnswer(_ frame: [UInt8]) {
        let messages = (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
        for case .message(let message) in messages
        where !isOfWatch(message) && !noteCopy(message) {
            if access?.check(message) == true { continue }
            guard case .error(let id, _, let problem, _) = message, id > 0 else { continue }
            guard id <= record.refusals.count else {
                quiescence.fail("a node refuses the operator's request \(id): \(problem)")
                continue
            }
            record.refusals[Int(id) - 1].reason = Refusal.notEvicted
        }
    }

    /// Whether a watch requested this answer, in a copy of a run.
    private mutating func isOfWatch(_ message: NodeMessage) -> Bool {
        watches.indices.contains { watches[$0].received(message) }
    }

    /// How long a frame takes, or nil if it is lost, and the connection with it.
    mutating func delay(from: Int, to: Int, on index: Int) -> Microseconds? {
        if let delay = network.clientDelay(from: from, to: to) { return delay }
        connections[index].breaks(at: now)
        schedule(.nodeLost(connection: index), after: SimulatedRun.heartbeatTimeout)
        schedule(.clientLost(connection: index), after: SimulatedRun.heartbeatTimeout)
        return nil
    }

    /// The client's end of a connection is gone.
    mutating func close(_ index: Int) {
        guard !connections[index].isBroken else { return }
        connections[index].breaks(at: now)
        guard connections[index].isAccepted else { return }
        let client = endpoint(of: connections[index].client)
        let delay = network.clientDelay(from: client, to: connections[index].node)
        let arrival = now + (delay ?? SimulatedRun.heartbeatTimeout)
        queue.schedule(
            .nodeLost(connection: index), at: max(arrival, connections[index].lastAtNode))
    }

    /// The process at the other end of these connections is gone.
    mutating func breakConnections(of node: Int) {
        for index in connections.indices
        where connections[index].node == node && !connections[index].isBroken {
            connections[index].breaks(at: now)
            let delay = network.clientDelay(
                from: node, to: endpoint(of: connections[index].client))
            schedule(.clientLost(connection: index), after: delay ?? SimulatedRun.heartbeatTimeout)
        }
    }

    mutating func takeRequest(_ frame: [UInt8], on index: Int) {
        let node = connections[index].node
        guard !connections[index].isOverAtNode,
            !connections[index].isBroken || !isCurrent(index),
            nodes[node].incarnation == connections[index].incarnation
        else { return }
        if connections[index].isToPort { return receive(frame, on: index) }
        let client = connections[index].client
        if access != nil { identify(index, as: clients[client].identity) }
        let needsTurn = nodes[node].receive(
            frame, of: SimulatedRun.session(of: index),
            isRecorded: !clients[client].onlyListens && !clients[client].isUser)
        if needsTurn { scheduleTurn(node) }
    }

    mutating func endSession(_ index: Int) {
        if connections[index].isToPort { return endPort(index) }
        connections[index].isOverAtNode = true
        send(.closed(SimulatedRun.session(of: index)), on: index)
    }
}
