// How a scenario names a fault.

extension Fault {
    private static let names = [
        "crash", "kill", "restart", "stop", "pause", "resume", "partition", "isolate", "ring",
        "clog", "flap", "disconnect", "degrade", "heal", "clock", "disk", "backup", "restore",
        "wipe", "evict", "rot", "duplicate-node", "sleep", "wake", "cpu", "handles", "unclog",
        "half-open",
        "lose", "abandon", "members",
    ]

    /// Reads the rest of the line, after the name of the fault.
    init(
        named word: ScenarioWord, _ line: inout ScenarioLine, of scenario: Scenario
    ) throws(ScenarioError) {
        let nodes = scenario.cluster.replicas
        switch word.text {
        case "crash": self = .crash(try line.node(among: nodes))
        case "kill": self = .kill(try line.node(among: nodes))
        case "restart": self = .restart(try line.node(among: nodes))
        case "stop": self = .stop(try line.node(among: nodes))
        case "pause": self = .pause(try line.node(among: nodes))
        case "resume": self = .resume(try line.node(among: nodes))
        case "sleep": self = .sleep(try line.node(among: nodes))
        case "wake": self = .wake(try line.node(among: nodes))
        case "cpu": self = try line.processor(among: nodes)
        case "handles": self = try line.handles(among: nodes)
        case "backup": self = .backUp(try line.node(among: nodes))
        case "restore": self = .restore(try line.node(among: nodes))
        case "evict":
            let node = try line.node(among: nodes)
            self = .evict(node, by: try line.node(among: nodes))
        case "abandon": self = .abandon(try line.nodeWithPeers(among: nodes))
        case "members": self = .members(try line.members(among: nodes))
        case "wipe": self = .wipe(try line.node(among: nodes))
        case "rot": self = .rot(try line.nodeWithPeers(among: nodes))
        case "duplicate-node": self = .duplicateNode(try line.nodeWithPeers(among: nodes))
        case "partition": self = try line.partition(scenario)
        case "isolate": self = .isolate(try line.node(among: nodes), among: nodes)
        case "ring": self = .ring
        case "clog":
            let (from, to) = try line.direction(among: nodes)
            self = .clog(from: from, to: to)
        case "unclog":
            let (from, to) = try line.direction(among: nodes)
            self = .unclog(from: from, to: to)
        case "half-open":
            let (from, to) = try line.direction(among: nodes)
            self = .halfOpen(from: from, to: to)
        case "lose":
            let (from, to) = try line.direction(among: nodes)
            self = .lose(try line.topic(), from: from, to: to)
        case "flap":
            let (from, to) = try line.direction(among: nodes)
            self = .flap(from: from, to: to)
        case "disconnect":
            let first = try line.node(among: nodes)
            self = .disconnect(first, try line.node(among: nodes))
        case "degrade":
            let (from, to) = try line.direction(among: nodes)
            self = .degrade(from: from, to: to, try line.quality(scenario))
        case "heal": self = .heal
        case "clock": self = try line.clock(among: nodes)
        case "disk": self = try line.disk(among: nodes)
        default: throw .unknown(word, known: Fault.names)
        }
    }

    /// Parts a node from all others.
    static func isolate(_ node: Int, among nodes: Int) -> Fault {
        let others = (0..<nodes).filter { $0 != node }
        return .partition([[.node(node)], others.map { .node($0) }])
    }
}

extension ScenarioLine {
    fileprivate mutating func node(among nodes: Int) throws(ScenarioError) -> Int {
        try take().node(among: nodes)
    }

    /// A node that would come to nothing without peers.
    fileprivate mutating func nodeWithPeers(among nodes: Int) throws(ScenarioError) -> Int {
        let word = peek
        let node = try node(among: nodes)
        guard nodes > 1 else { throw .expected("a node with peers, as in replicas=2", found: word) }
        return node
    }

    /// The rest of the line: nodes, each once.
    fileprivate mutating func members(among nodes: Int) throws(ScenarioError) -> [Int] {
        var members: [Int] = []
        repeat {
            let word = peek
            let node = try node(among: nodes)
            guard !members.contains(node) else {
                throw .expected("each node once", found: word)
            }
            members.append(node)
        } while !isAtEnd
        return members.sorted()
    }

    fileprivate mutating func direction(
        among nodes: Int
    ) throws(ScenarioError) -> (from: Int, to: Int) {
        let from = try node(among: nodes)
        let arrow = take()
        guard arrow.text == "->" else { throw .expected("\"->\" and a node", found: arrow) }
        let word = peek
        let to = try node(among: nodes)
        guard to != from else { throw .expected("another node", found: word) }
        return (from, to)
    }

    fileprivate mutating func quality(_ scenario: Scenario) throws(ScenarioError) -> LinkQuality {
        let known = ScenarioSetting.link(at: \.network.link)
        var changed = scenario
        repeat {
            let word = take()
            guard let (name, value) = word.setting else {
                throw .expected("a setting such as loss=30%", found: word)
            }
            guard let setting = known.first(where: { $0.name == name.text }) else {
                throw .unknown(name, known: known.map(\.name))
            }
            try setting.read(value, &changed)
        } while !isAtEnd
        return changed.network.link
    }

    fileprivate mutating func topic() throws(ScenarioError) -> Topic {
        let word = take()
        if let topic = Topic(rawValue: word.text) { return topic }
        throw .unknown(word, known: Topic.allCases.map(\.rawValue))
    }

    fileprivate mutating func processor(among nodes: Int) throws(ScenarioError) -> Fault {
        let node = try node(among: nodes)
        let word = take()
        switch word.text {
        case "slow": return .slowDown(node, by: try take().times())
        case "runs": return .slowDown(node, by: nil)
        default: throw .unknown(word, known: ["slow", "runs"])
        }
    }

    fileprivate mutating func handles(among nodes: Int) throws(ScenarioError) -> Fault {
        let node = try node(among: nodes)
        let word = take()
        switch word.text {
        case "none": return .exhaustHandles(node)
        case "free": return .freeHandles(node)
        default: throw .unknown(word, known: ["none", "free"])
        }
    }

    fileprivate mutating func clock(among nodes: Int) throws(ScenarioError) -> Fault {
        let node = try node(among: nodes)
        let word = take()
        switch word.text {
        case "freezes": return .clock(node, .frozen)
        case "runs": return .clock(node, .running)
        case "strobes": return .clock(node, .strobing(milliseconds: try take().time() / 1_000))
        case "sways":
            let height = try swayTime()
            let every = take()
            guard every.text == "every" else {
                throw .expected("\"every\" and a time", found: every)
            }
            return .clock(node, .swaying(milliseconds: height / 1_000, every: try swayTime()))
        default: break
        }
        guard let sign = word.text.first, sign == "+" || sign == "-" else {
            throw .expected(
                "how far the clock steps, such as +5s or -2s, \"freezes\", \"strobes\", \"sways\" or "
                    + "\"runs\"", found: word)
        }
        let length = ScenarioWord(
            text: String(word.text.dropFirst()), line: word.line, column: word.column + 1)
        let milliseconds = Int64(try length.time() / 1_000)
        return .step(node, milliseconds: sign == "-" ? -milliseconds : milliseconds)
    }

    private mutating func swayTime() throws(ScenarioError) -> Microseconds {
        let word = take()
        let time = try word.time()
        guard (1_000...3_600_000_000) ~= time else {
            throw .expected("a time from 1ms to 1h", found: word)
        }
        return time
    }

    fileprivate mutating func disk(among nodes: Int) throws(ScenarioError) -> Fault {
        let node = try node(among: nodes)
        let word = take()
        switch word.text {
        case "slow": return .disk(node, .slow(try take().times()))
        case "unreadable": return .disk(node, .unreadable)
        case "full": return .disk(node, .full)
        case "fails": return .disk(node, .failing)
        case "lies": return .disk(node, .lying)
        case "rots", "misdirects":
            guard nodes > 1 else {
                throw .expected("something that a node without peers can stand", found: word)
            }
            return word.text == "rots" ? .spoil(node) : .misdirect(node)
        case "works": return .disk(node, nil)
        default:
            throw .unknown(
                word,
                known: [
                    "slow", "unreadable", "full", "fails", "lies", "rots", "misdirects", "works",
                ])
        }
    }

    fileprivate mutating func partition(_ scenario: Scenario) throws(ScenarioError) -> Fault {
        var groups: [[Endpoint]] = [[try endpoint(scenario)]]
        if peek.text == "->" {
            _ = take()
            return .cut(from: groups[0][0], to: try endpoint(scenario))
        }
        while !isAtEnd {
            if peek.text == "|" {
                _ = take()
                groups.append([try endpoint(scenario)])
            } else {
                groups[groups.count - 1].append(try endpoint(scenario))
            }
        }
        guard groups.count > 1 else {
            throw .expected("\"|\" and the other side of the partition", found: peek)
        }
        return .partition(groups)
    }

    private mutating func endpoint(_ scenario: Scenario) throws(ScenarioError) -> Endpoint {
        let word = take()
        if word.text.hasPrefix("c") {
            return .client(try word.client(among: scenario.clients.count))
        }
        return .node(try word.node(among: scenario.cluster.replicas))
    }
}
