import ReplicaCore

// The connections between two nodes.

/// Frames from one node to another wait, as many as the queue takes, until it heals.
struct Clog: DirectionFault {
    static let name = "clog"
    var from: Int
    var to: Int

    func apply(to run: inout SimulatedRun) {
        run.network.clog(from: from, to: to)
        run.record.statistics.badLinks += 1
    }

    static let drawn = [
        DrawnFault.of(Clog.self),
        DrawnFault(name: "swizzle", draw: .links { $0.swizzle(from: $1, to: $2) }),
    ]
}

struct Unclog: DirectionFault {
    static let name = "unclog"
    var from: Int
    var to: Int

    func apply(to run: inout SimulatedRun) {
        run.network.unclog(from: from, to: to)
        run.releaseWaiting(for: to)
    }
}

extension FaultPlan {
    /// Backpressures all links of some nodes one after the other, then opens them in another order.
    fileprivate mutating func swizzle(from start: Microseconds, to end: Microseconds) {
        let first = random.index(below: nodes.count)
        let members = nodes.filter { $0 == first || random.index(below: 2) == 0 }
        var links = nodes.flatMap { from in
            nodes.filter { $0 != from && (members.contains(from) || members.contains($0)) }
                .map { (from: from, to: $0) }
        }
        let length = (end - start) / 2
        func time(_ place: Int, from beginning: Microseconds) -> Microseconds {
            let time = beginning + length * Microseconds(place) / Microseconds(links.count)
            return time - time % 1_000
        }
        random.shuffle(&links)
        for (place, link) in links.enumerated() {
            add(Clog(from: link.from, to: link.to), at: time(place, from: start))
        }
        random.shuffle(&links)
        for (place, link) in links.enumerated() {
            add(Unclog(from: link.from, to: link.to), at: time(place, from: start + length))
        }
    }
}

/// A direction is cut and healed again and again.
struct Flap: DirectionFault {
    static let name = "flap"
    /// How long it stays cut, or healed.
    static let phase = TimeRange(.milliseconds(10), .milliseconds(400))
    var from: Int
    var to: Int

    func apply(to run: inout SimulatedRun) {
        run.flap(from, to, round: run.network.round)
        run.record.statistics.badLinks += 1
    }

    static let drawn = [DrawnFault.of(Flap.self)]
}

/// The connections between two nodes break, with all that is queued, and are made again.
struct Disconnect: Fault {
    static let name = "disconnect"
    var nodes: [Int]

    init(_ first: Int, _ second: Int) { nodes = [first, second] }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        self.init(try line.node(in: scenario), try line.node(in: scenario))
    }

    func words(in scenario: Scenario) -> String {
        nodes.map(\.nodeName).joined(separator: " ")
    }

    func apply(to run: inout SimulatedRun) {
        run.network.disconnect(nodes[0], nodes[1], at: run.now)
        run.record.statistics.badLinks += 1
    }

    static let drawn = [DrawnFault.pair(name) { first, second, _ in Disconnect(first, second) }]
}

/// A direction gets this quality.
struct Degrade: Fault {
    static let name = "degrade"
    var from: Int
    var to: Int
    var quality: LinkQuality

    init(from: Int, to: Int, _ quality: LinkQuality) {
        self.from = from
        self.to = to
        self.quality = quality
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        (from, to) = try line.direction(in: scenario)
        var changed = scenario
        repeat {
            _ = try ScenarioSetting.read(
                &line, among: ScenarioSetting.link(at: \.network.link), into: &changed)
        } while !line.isAtEnd
        quality = changed.network.link
    }

    /// The settings are those that differ from those of the network.
    func words(in scenario: Scenario) -> String {
        var changed = scenario
        changed.network.link = quality
        let settings = ScenarioSetting.link(at: \.network.link)
            .filter { $0.write(changed) != $0.write(scenario) }
            .map { "\($0.name)=\($0.write(changed))" }
        return (["\(from.nodeName) -> \(to.nodeName)"] + settings).joined(separator: " ")
    }

    func apply(to run: inout SimulatedRun) {
        run.network.degrade(from: from, to: to, quality)
        run.record.statistics.badLinks += 1
    }

    static let drawn = [
        DrawnFault.pair(name) { from, to, plan in
            Degrade(from: from, to: to, plan.drawQuality())
        }
    ]
}

extension FaultPlan {
    fileprivate mutating func drawQuality() -> LinkQuality {
        var link = scenario.network.link
        for change in 0...random.index(below: 3) {
            let chance = Probability(millionths: 10_000 * (1 + random.number(below: 30)))
            switch (change + random.index(below: 8)) % 8 {
            case 0: link.delay = TimeRange(.milliseconds(50), .milliseconds(800))
            case 1: link.tail = chance
            case 2: link.loss = chance
            case 3: link.duplicate = chance
            case 4: link.reorder = chance
            case 5: link.replay = chance
            case 6: link.corrupt = chance
            default: link.truncate = chance
            }
        }
        return link
    }
}

/// The second has forgotten the connection that the first had made to it.
struct HalfOpen: DirectionFault {
    static let name = "half-open"
    var from: Int
    var to: Int

    func apply(to run: inout SimulatedRun) {
        run.network.halfOpen(
            from: from, to: to, until: run.now + SimulatedRun.heartbeatTimeout)
        run.record.statistics.badLinks += 1
    }

    static let drawn = [DrawnFault.of(HalfOpen.self)]
}

/// The first has forgotten that the second subscribes to a kind, until they connect again.
struct Lose: Fault {
    static let name = "lose"
    var from: Int
    var to: Int
    var topic: Topic

    init(_ topic: Topic, from: Int, to: Int) {
        self.from = from
        self.to = to
        self.topic = topic
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        (from, to) = try line.direction(in: scenario)
        let word = line.removeFirst()
        guard let topic = Topic(rawValue: word.text) else {
            throw .unknown(word, known: Topic.allCases.map(\.rawValue))
        }
        self.topic = topic
    }

    func words(in scenario: Scenario) -> String {
        "\(from.nodeName) -> \(to.nodeName) \(topic.rawValue)"
    }

    func apply(to run: inout SimulatedRun) {
        run.network.lose(topic, from: from, to: to)
        run.record.statistics.badLinks += 1
    }

    static let drawn = [
        DrawnFault.pair("topic-loss") { from, to, plan in
            let topic = Topic.allCases[plan.random.index(below: Topic.allCases.count)]
            return Lose(topic, from: from, to: to)
        }
    ]
}
