import ReplicaCore
import SyncProtocol

// Streams of events: how their clients connect, read and leave.

extension StreamClient: ClientActor {
    var lastNode: Int? { node }
    var observedListeners: [ObservedListener] {
        [
            ObservedListener(
                path: path, node: node, shown: shown, failure: tally.failures[.streamsShowTheTree],
                expected: expected)
        ]
    }

    func uses(_ connection: Int) -> Bool { self.connection == connection }

    func unrest(in run: SimulatedRun) -> String? {
        shown == nil || !run.isAtRest(connection) ? "has no stream that lives" : nil
    }

    /// From the end of a connection to the next one.
    private static let reconnection = TimeRange(.milliseconds(50), .milliseconds(600))

    mutating func begin(in run: inout SimulatedRun) {
        connect(in: &run)
        scheduleAct(in: &run)
    }

    private mutating func scheduleAct(in run: inout SimulatedRun) {
        let pace = random.time(in: run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
    }

    mutating func act(in run: inout SimulatedRun) {
        guard remaining > 0 else { return }
        remaining -= 1
        changePace(in: &run)
        if random.index(below: 25) == 0 { leave(in: &run) }
        scheduleAct(in: &run)
    }

    private mutating func changePace(in run: inout SimulatedRun) {
        let isSlow = self.isSlow
        guard isSlow || random.index(below: 6) == 0,
            let connection = self.connection
        else { return }
        self.isSlow = !isSlow
        if isSlow { run.readAgain(on: connection) } else { run.stopReading(on: connection) }
    }

    mutating func stop(in run: inout SimulatedRun) {
        if isSlow { changePace(in: &run) }
        remaining = 0
    }

    private mutating func connect(in run: inout SimulatedRun) {
        guard self.connection == nil else { return }
        let node = nextNode()
        let connection = run.openPort(index, to: node)
        let request = connect(
            on: connection, to: run.nodes[node].name, at: run.now)
        run.send(bytes: request, on: connection)
    }

    private mutating func leave(in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        run.close(connection)
        reconnect(in: &run)
    }

    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {
        reconnect(in: &run)
    }

    private mutating func reconnect(in run: inout SimulatedRun) {
        loseConnection()
        let delay = random.time(in: StreamClient.reconnection)
        run.schedule(.clientTurns(index), after: delay)
    }

    mutating func turn(in run: inout SimulatedRun) { connect(in: &run) }

    mutating func takeReply(_ bytes: [UInt8], on connection: Int, in run: inout SimulatedRun) {
        run.record.statistics.changes += 1
        receive(bytes, at: run.now, by: run.population.reader)
        if isOver { leave(in: &run) }
    }
}
