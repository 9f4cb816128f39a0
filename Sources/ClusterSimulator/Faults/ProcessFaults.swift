import ReplicaCore

// Faults of processes and machines: ends, suspensions, and shortages.

/// The power goes: what is not synced is lost.
struct Crash: NodeFault {
    static let name = "crash"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.crash(node) }

    static let drawn = [DrawnFault.of(Crash.self, until: Restart.self)]
}

/// The process is killed, and the machine goes on: all that the process has written survives.
struct Kill: NodeFault {
    static let name = "kill"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.kill(node) }

    static let drawn = [DrawnFault.of(Kill.self, until: Restart.self)]
}

struct Restart: NodeFault {
    static let name = "restart"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.start(node) }
}

/// A clean stop, as at SIGTERM.
struct Stop: NodeFault {
    static let name = "stop"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.stop(node) }

    static let drawn = [DrawnFault.of(Stop.self, until: Restart.self)]
}

/// The process stands still, and its connections stay.
struct Pause: NodeFault {
    static let name = "pause"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.pause(node) }

    static let drawn = [DrawnFault.of(Pause.self, until: Resume.self)]
}

struct Resume: NodeFault {
    static let name = "resume"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.resume(node) }
}

/// The machine stands still, and its monotonic clock with it; the wall clock goes on.
struct Sleep: NodeFault {
    static let name = "sleep"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.sleep(node) }

    static let drawn = [
        DrawnFault.node(name) { node, plan in
            var course = DrawnFault.Course(Sleep(node: node), until: Wake(node: node))
            // Half of the sleeps are so long that others give up their connections.
            if plan.random.index(below: 2) == 0 { course.extra = .seconds(3) }
            return course
        }
    ]
}

struct Wake: NodeFault {
    static let name = "wake"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.resume(node) }
}

/// A node's turns take so much longer; nil ends the fault.
struct SlowProcessor: Fault {
    static let name = "cpu"
    var node: Int
    var delay: TimeRange?

    init(node: Int, delay: TimeRange?) {
        self.node = node
        self.delay = delay
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        node = try line.node(in: scenario)
        let word = line.removeFirst()
        switch word.text {
        case "slow": delay = try line.removeFirst().times()
        case "runs": delay = nil
        default: throw .unknown(word, known: ["slow", "runs"])
        }
    }

    func words(in scenario: Scenario) -> String {
        "\(node.nodeName) \(delay.map { "slow \($0.text)" } ?? "runs")"
    }

    func apply(to run: inout SimulatedRun) {
        run.nodes[node].slowness = delay
        if delay != nil { run.record.statistics.shortages += 1 }
    }

    static let drawn = [
        DrawnFault.node("slow-cpu") { node, plan in
            .init(
                SlowProcessor(node: node, delay: plan.drawSlowness()),
                until: SlowProcessor(node: node, delay: nil))
        }
    ]
}

/// Whether a node has a file handle left for a new connection; existing connections stay.
struct FileHandles: Fault {
    static let name = "handles"
    var node: Int
    var areFree: Bool

    init(node: Int, areFree: Bool) {
        self.node = node
        self.areFree = areFree
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        node = try line.node(in: scenario)
        let word = line.removeFirst()
        switch word.text {
        case "none": areFree = false
        case "free": areFree = true
        default: throw .unknown(word, known: ["none", "free"])
        }
    }

    func words(in scenario: Scenario) -> String { "\(node.nodeName) \(areFree ? "free" : "none")" }

    func apply(to run: inout SimulatedRun) {
        if areFree { run.freeHandles(of: node) } else { run.exhaustHandles(of: node) }
    }

    static let drawn = [
        DrawnFault.node("no-handles") { node, _ in
            .init(
                FileHandles(node: node, areFree: false),
                until: FileHandles(node: node, areFree: true))
        }
    ]
}
