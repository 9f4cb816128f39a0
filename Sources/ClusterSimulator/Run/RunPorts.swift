import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol

// Connections to the HTTP ports of nodes: bytes in any pieces, and what a port does with slow clients and at the end.

extension SimulatedRun {
    /// How long a port waits until a client closes its side, too.
    private static let closeTime: Microseconds = .seconds(5)

    static func session(of connection: Int) -> SessionID {
        SessionID(number: UInt64(connection) + 1)
    }

    /// Gives an input about a session to its node, unless that is another process by now.
    mutating func send(_ input: ReplicaCore.Input, on index: Int) {
        let connection = connections[index]
        guard nodes[connection.node].incarnation == connection.incarnation else { return }
        give(input, to: connection.node)
    }

    private mutating func send(_ input: NodeInput, on index: Int) {
        let connection = connections[index]
        guard nodes[connection.node].incarnation == connection.incarnation else { return }
        if nodes[connection.node].receive(input) { scheduleTurn(connection.node) }
    }

    // MARK: The client's end

    /// Begins a connection to the HTTP port of a node.
    mutating func openPort(_ client: Int, to node: Int) -> Int {
        open(client, to: node, PortEnd())
    }

    /// Sends bytes to a port, in pieces.
    mutating func send(bytes: [UInt8], on index: Int) {
        for piece in pieces(of: bytes) { send(piece, on: index) }
    }

    /// The client of a connection reads nothing more.
    mutating func stopReading(on index: Int) { connections[index].isClogged = true }

    /// The client reads again, at first what has waited.
    mutating func readAgain(on index: Int) {
        connections[index].isClogged = false
        flush(index)
    }

    /// One or two pieces, cut anywhere.
    private mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        guard bytes.count > 1, draws.cuts.index(below: 4) == 0 else { return [bytes] }
        let count = 1 + draws.cuts.index(below: bytes.count - 1)
        return [Array(bytes[..<count]), Array(bytes[count...])]
    }

    // MARK: The node's end

    /// Bytes reach a port.
    mutating func receive(_ bytes: [UInt8], on index: Int) {
        guard let port = connections[index].port, !port.isClosing else { return }
        let session = SimulatedRun.session(of: index)
        if !port.isOpen {
            connections[index].port?.isOpen = true
            let host = "10.0.0.\(connections[index].client % 250 + 1)"
            let address = RemoteAddress(host: host, isLoopback: false)
            send(.gateway(.opened(session, from: address)), on: index)
        }
        send(.gateway(.received(session, bytes)), on: index)
    }

    /// The end of a connection reaches its port, or the port gives it up.
    mutating func endPort(_ index: Int) {
        guard let port = connections[index].port, port.isOpen, !port.isClosed else { return }
        connections[index].port?.isClosed = true
        if !connections[index].isBroken {
            connections[index].breaks(at: now)
            schedule(.clientLost(connection: index), after: SimulatedRun.heartbeatTimeout)
        }
        send(.gateway(.closed(SimulatedRun.session(of: index))), on: index)
    }

    /// The end of a node's turn: what its gateway has for connections leaves, all that goes to one together.
    mutating func flushPort(of node: Int) {
        var changed: [Int] = []
        for output in nodes[node].removePortOutputs() {
            guard let index = change(by: output, at: node) else { continue }
            if !changed.contains(index) { changed.append(index) }
        }
        for index in changed { flush(index) }
        if nodes[node].needsTurn { scheduleTurn(node) }
    }

    /// Changes the node's end of a connection; returns which one.
    private mutating func change(by output: GatewayOutput, at node: Int) -> Int? {
        switch output {
        case .send(let session, let bytes):
            nodes[node].portCounts.countAnswer(in: bytes)
            return change(session) { $0.waiting += bytes }
        case .reportWritable(let session): return change(session) { $0.awaitsRoom = true }
        case .close(let session):
            guard let index = change(session, { $0.isClosing = true }) else { return nil }
            schedule(.nodeLost(connection: index), after: SimulatedRun.closeTime)
            return index
        case .native, .enter, .remove, .reportUses, .reportPeers, .backUp, .continueBackup,
            .endBackup, .open,
            .identify, .ask, .backpressured, .writable, .end, .wake, .log, .refused:
            quiescence.fail("\(nodes[node].name) does \(output) with a connection")
            return nil
        }
    }

    private mutating func change(_ session: SessionID, _ body: (inout PortEnd) -> Void) -> Int? {
        let index = Int(session.number) - 1
        guard var port = connections[index].port, !port.isClosed else { return nil }
        body(&port)
        connections[index].port = port
        return index
    }

    /// Sends the waiting bytes to a client that reads; otherwise reports backpressure to the gateway.
    private mutating func flush(_ index: Int) {
        guard let port = connections[index].port, !port.isClosed, !connections[index].isBroken
        else { return }
        if connections[index].isClogged {
            let byteCount = port.waiting.count
            guard !port.isBackpressured, byteCount > GatewayConfiguration.virtualBackpressure
            else { return }
            connections[index].port?.isBackpressured = true
            let session = SimulatedRun.session(of: index)
            return send(.unsent(session, bytes: byteCount), on: index)
        }
        connections[index].port?.waiting = []
        for piece in pieces(of: port.waiting) where !piece.isEmpty { transmit(piece, on: index) }
        relieve(index)
        if port.isClosing, !connections[index].isBroken {
            let last = max(now, connections[index].lastAtClient)
            queue.schedule(
                .clientLost(connection: index), at: last + scenario.network.link.delay.shortest)
        }
    }

    /// All that waited for a client is sent.
    private mutating func relieve(_ index: Int) {
        guard let port = connections[index].port, port.isBackpressured || port.awaitsRoom,
            !connections[index].isBroken
        else { return }
        connections[index].port?.isBackpressured = false
        connections[index].port?.awaitsRoom = false
        guard !port.isClosing else { return }
        send(.unsent(SimulatedRun.session(of: index), bytes: 0), on: index)
    }

    private mutating func transmit(_ bytes: [UInt8], on index: Int) {
        let connection = connections[index]
        guard !connection.isBroken,
            let delay = delay(from: connection.node, to: endpoint(of: connection.client), on: index)
        else { return }
        let arrival = max(now + delay, connection.lastAtClient)
        connections[index].lastAtClient = arrival
        queue.schedule(.replied(connection: index, frame: bytes), at: arrival)
    }
}
