// How clients go without a word. Clients are counted from 0.

/// The machine of a client is gone: it takes no frame, and says nothing.
struct Vanish: ClientFault {
    static let name = "vanish"
    var client: Int

    func apply(to run: inout SimulatedRun) { run.lose(client: client, takingFrames: false) }
}

/// A client is suspended for good: its machine takes frames for it, and it says nothing.
struct Suspend: ClientFault {
    static let name = "suspend"
    var client: Int

    func apply(to run: inout SimulatedRun) { run.lose(client: client, takingFrames: true) }
}

/// A fault of one client of the library.
protocol ClientFault: Fault {
    var client: Int { get }
    init(client: Int)
}

extension ClientFault {
    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        self.init(client: try line.removeFirst().client(among: scenario.clients.total))
    }

    func words(in scenario: Scenario) -> String { "c\(client + 1)" }
}
