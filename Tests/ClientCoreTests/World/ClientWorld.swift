import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

@testable import ClientCore

/// Clients and real replicas, with frames on their way between them, connections that break and
/// spells without any, moved by random numbers.
struct ClientWorld {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A mistake, planted to see that it is found.
    enum Defect: CaseIterable {
        case losesEvents
        case sendsFramesTwice
        case ignoresConditions
        case forgetsStamps
    }

    /// One connection; what is on its way when it breaks may get lost.
    private struct Line {
        let session: SessionID
        let node: String
        var up: [[UInt8]] = []
        var down: [[UInt8]] = []
    }

    private let defect: Defect?
    private var random: SeededNumbers
    private var nodes: Nodes
    private var users: [VirtualUser]
    /// The connection of each client, if it has one.
    private var lines: [Line?]
    private var lastSession: UInt64 = 0
    private var now: UInt64 = 0

    init(seed: UInt64, defect: Defect? = nil) {
        self.defect = defect
        random = SeededNumbers(seed: seed)
        nodes = Nodes(1 + Int(seed % 2))
        let names = nodes.names
        users = (0..<3).map { VirtualUser($0, nodes: names, defect) }
        lines = [nil, nil, nil]
    }

    /// Makes random steps, delivers all messages, and compares every client with the server's data.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try rest()
        let truth = nodes[nodes.names[0]].value
        for name in nodes.names where nodes[name].value != truth {
            throw Failure(description: "\(name) has another tree")
        }
        for user in users { try user.check(truth) }
        try check(truth[VirtualUser.sum], \.added, \.unknownAdded)
        // Each node decides for itself whether a transaction takes place.
        if nodes.names.count == 1 {
            try check(truth[VirtualUser.counter], \.commits, \.unknownCommits)
        }
    }

    /// Acknowledged writes count once; writes with an unknown outcome count once at most.
    private func check(
        _ value: Value, _ done: KeyPath<VirtualUser, Int>, _ unknown: KeyPath<VirtualUser, Int>
    ) throws {
        let least = users.reduce(0) { $0 + $1[keyPath: done] }
        let most = users.reduce(least) { $0 + $1[keyPath: unknown] }
        var count = 0
        if case .integer(let number) = value { count = Int(number) }
        if least...most ~= count { return }
        throw Failure(description: "\(least) to \(most) additions make \(count)")
    }
}

// MARK: - Steps

extension ClientWorld {
    private mutating func step() throws {
        let index = random.below(users.count)
        let passed = 1 + UInt64(random.below(40))
        now += passed
        nodes.pass(milliseconds: passed)
        switch random.below(20) {
        case 0...6: try turn(index) { try $0.act(&$1) }
        case 7...10: deliverUp(index)
        case 11...15: try deliverDown(index)
        case 16: try turn(index)
        case 17: try turn(index) { user, _ in try user.runTransaction() }
        case 18:
            switch random.below(6) {
            case 0: try restart(index)
            case 1, 2: try breakLine(index)
            default: break
            }
        default:
            now += 50
            nodes.advance(milliseconds: 50)
        }
    }

    /// Delivers messages until no client waits for an answer.
    private mutating func rest() throws {
        for index in users.indices { try turn(index) { user, _ in try user.calm() } }
        var quiet = 0
        for _ in 0..<400 {
            now += 100
            nodes.advance(milliseconds: 100)
            for index in users.indices {
                try turn(index) { user, _ in try user.runTransaction() }
                while lines[index]?.up.isEmpty == false { deliverUp(index) }
                while lines[index]?.down.isEmpty == false { try deliverDown(index) }
            }
            quiet = users.allSatisfy(\.isAtRest) ? quiet + 1 : 0
            // The other clients receive the changes of the last request one round later.
            if quiet == 3 { return }
        }
        throw Failure(description: "requests stay without an answer")
    }

    private mutating func turn(
        _ index: Int,
        _ body: (inout VirtualUser, inout SeededNumbers) throws -> Void = { _, _ in }
    ) throws {
        users[index].begin(at: now)
        try body(&users[index], &random)
        for effect in try users[index].end() {
            switch effect {
            case .connect(let node): connect(index, to: node)
            case .disconnect: drop(index)
            case .send(let frame):
                lines[index]?.up.append(frame)
                if defect == .sendsFramesTwice { lines[index]?.up.append(frame) }
            }
        }
    }
}

// MARK: - Connections

extension ClientWorld {
    private mutating func connect(_ index: Int, to node: String) {
        drop(index)
        lastSession += 1
        lines[index] = Line(session: SessionID(number: lastSession), node: node)
    }

    /// The node gets a part of what is on its way, and then notices.
    private mutating func drop(_ index: Int) {
        guard let line = lines[index] else { return }
        for frame in line.up.prefix(random.below(line.up.count + 1)) {
            nodes.turn(line.node, .requested(frame, by: line.session))
        }
        nodes.turn(line.node, .closed(line.session))
        lines[index] = nil
        takeReplies()
    }

    private mutating func breakLine(_ index: Int) throws {
        guard lines[index] != nil else { return }
        drop(index)
        users[index].begin(at: now)
        users[index].loseConnection()
        try turn(index)
    }

    private mutating func restart(_ index: Int) throws {
        drop(index)
        try users[index].restart()
        try turn(index)
    }

    private mutating func deliverUp(_ index: Int) {
        guard let line = lines[index], !line.up.isEmpty else { return }
        let frame = lines[index]!.up.removeFirst()
        nodes.turn(line.node, .requested(frame, by: line.session))
        takeReplies()
    }

    private mutating func deliverDown(_ index: Int) throws {
        takeReplies()
        guard lines[index]?.down.isEmpty == false else { return }
        let frame = lines[index]!.down.removeFirst()
        try turn(index) { user, _ in user.receive(frame) }
    }

    private mutating func takeReplies() {
        for (session, frame) in nodes.takeReplies() {
            guard let index = lines.firstIndex(where: { $0?.session == session }) else { continue }
            lines[index]!.down.append(frame)
        }
    }
}
