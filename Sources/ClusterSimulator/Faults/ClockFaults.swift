import ReplicaCore

/// A node's clock jumps, misbehaves, or runs again.
struct ClockFault: Fault {
    static let name = "clock"

    enum Effect: Equatable {
        case step(milliseconds: Int64)
        case mode(VirtualClock.Mode)
    }

    var node: Int
    var effect: Effect

    init(_ node: Int, _ effect: Effect) {
        self.node = node
        self.effect = effect
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        node = try line.node(in: scenario)
        let word = line.removeFirst()
        switch word.text {
        case "freezes": effect = .mode(.frozen)
        case "runs": effect = .mode(.running)
        case "strobes":
            effect = .mode(.strobing(milliseconds: try line.removeFirst().time() / 1_000))
        case "sways": effect = .mode(try ClockFault.sway(&line))
        default: effect = .step(milliseconds: try ClockFault.step(word))
        }
    }

    private static func sway(_ line: inout ScenarioLine) throws(ScenarioError) -> VirtualClock.Mode
    {
        let height = try swayTime(line.removeFirst())
        let every = line.removeFirst()
        guard every.text == "every" else {
            throw .expected("\"every\" and a time", found: every)
        }
        return .swaying(milliseconds: height / 1_000, every: try swayTime(line.removeFirst()))
    }

    private static func swayTime(_ word: ScenarioWord) throws(ScenarioError) -> Microseconds {
        let time = try word.time()
        guard (1_000...3_600_000_000) ~= time else {
            throw .expected("a time from 1ms to 1h", found: word)
        }
        return time
    }

    private static func step(_ word: ScenarioWord) throws(ScenarioError) -> Int64 {
        guard let sign = word.text.first, sign == "+" || sign == "-" else {
            throw .expected(
                "how far the clock steps, such as +5s or -2s, \"freezes\", \"strobes\", \"sways\" or "
                    + "\"runs\"", found: word)
        }
        let length = ScenarioWord(
            text: String(word.text.dropFirst()), line: word.line, column: word.column + 1)
        let milliseconds = Int64(try length.time() / 1_000)
        return sign == "-" ? -milliseconds : milliseconds
    }

    func words(in scenario: Scenario) -> String { "\(node.nodeName) \(effect.text)" }

    func apply(to run: inout SimulatedRun) {
        switch effect {
        case .step(let milliseconds): run.nodes[node].clock.step(milliseconds: milliseconds)
        case .mode(let mode): run.nodes[node].clock.set(mode, at: run.now)
        }
        run.record.statistics.clockSteps += 1
    }

    static let drawn = [
        DrawnFault.node("step") { node, plan in
            .init(step(node, VirtualClock.draw(within: 1_000, &plan.random)))
        },
        DrawnFault.node("leap") { node, plan in
            .init(step(node, plan.random.index(below: 2) == 0 ? 3_600_000 : -3_600_000))
        },
        DrawnFault.node("strobe") { node, plan in
            until(runs: node, .strobing(milliseconds: plan.drawMilliseconds()))
        },
        DrawnFault.node("sway") { node, plan in
            until(
                runs: node,
                .swaying(
                    milliseconds: plan.drawMilliseconds(),
                    every: .milliseconds(200 + plan.random.number(below: 4_000))))
        },
        DrawnFault.node("freeze") { node, _ in until(runs: node, .frozen) },
    ]

    private static func step(_ node: Int, _ milliseconds: Int64) -> ClockFault {
        ClockFault(node, .step(milliseconds: milliseconds))
    }

    private static func until(runs node: Int, _ mode: VirtualClock.Mode) -> DrawnFault.Course {
        .init(ClockFault(node, .mode(mode)), until: ClockFault(node, .mode(.running)))
    }
}

extension ClockFault.Effect {
    fileprivate var text: String {
        switch self {
        case .step(let milliseconds):
            (milliseconds < 0 ? "-" : "+")
                + Microseconds.milliseconds(milliseconds.magnitude).text
        case .mode(.running): "runs"
        case .mode(.frozen): "freezes"
        case .mode(.strobing(let milliseconds)):
            "strobes \(Microseconds.milliseconds(milliseconds).text)"
        case .mode(.swaying(let milliseconds, let period)):
            "sways \(Microseconds.milliseconds(milliseconds).text) every \(period.text)"
        }
    }
}
