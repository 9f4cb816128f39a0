import ReplicaCore
import SyncProtocol

// Clients of streams of events: how they come and go.

extension SimulatedRun {
    /// From the end of a connection to the next one.
    private static let reconnection = TimeRange(.milliseconds(50), .milliseconds(600))

    mutating func begin(streamClient number: Int) {
        connect(streamClient: number)
        scheduleAct(ofStreamClient: number)
    }

    private mutating func scheduleAct(ofStreamClient number: Int) {
        let pace = streamClients[number].random.time(in: scenario.clients.pace)
        schedule(.clientActs(streamClients[number].index), after: pace)
    }

    mutating func act(streamClient number: Int) {
        guard streamClients[number].remaining > 0 else { return }
        streamClients[number].remaining -= 1
        changePace(ofStreamClient: number)
        if streamClients[number].random.index(below: 25) == 0 { leave(streamClient: number) }
        scheduleAct(ofStreamClient: number)
    }

    private mutating func changePace(ofStreamClient number: Int) {
        let isSlow = streamClients[number].isSlow
        guard isSlow || streamClients[number].random.index(below: 6) == 0,
            let connection = streamClients[number].connection
        else { return }
        streamClients[number].isSlow = !isSlow
        if isSlow { readAgain(on: connection) } else { stopReading(on: connection) }
    }

    /// Clients do nothing more of themselves.
    mutating func stopStreamClients() {
        for number in streamClients.indices {
            if streamClients[number].isSlow { changePace(ofStreamClient: number) }
            streamClients[number].remaining = 0
        }
    }

    private mutating func connect(streamClient number: Int) {
        guard streamClients[number].connection == nil else { return }
        let node = streamClients[number].nextNode()
        let connection = openPort(streamClients[number].index, to: node)
        let request = streamClients[number].connect(
            on: connection, to: nodes[node].name, at: now)
        send(bytes: request, on: connection)
    }

    private mutating func leave(streamClient number: Int) {
        guard let connection = streamClients[number].connection else { return }
        close(connection)
        loseNode(ofStreamClient: number)
    }

    mutating func loseNode(ofStreamClient number: Int) {
        streamClients[number].loseConnection()
        let delay = streamClients[number].random.time(in: SimulatedRun.reconnection)
        schedule(.clientTurns(streamClients[number].index), after: delay)
    }

    mutating func turn(streamClient number: Int) { connect(streamClient: number) }

    mutating func takeReply(_ bytes: [UInt8], onStreamClient number: Int) {
        statistics.changes += 1
        streamClients[number].receive(bytes, at: now, by: reader)
        if streamClients[number].isOver { leave(streamClient: number) }
    }
}
