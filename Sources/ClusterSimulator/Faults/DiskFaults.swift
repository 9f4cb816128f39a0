import ReplicaCore

// Faults of disks: of their contents, and of their work.

/// Keeps a copy of the durable data.
struct BackUp: NodeFault {
    static let name = "backup"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.nodes[node].disk.backUp(at: run.now) }
}

/// The process ends, and another one starts on the copy that was kept, as `hearth restore` puts it in place.
struct Restore: NodeFault {
    static let name = "restore"
    var node: Int

    func apply(to run: inout SimulatedRun) {
        run.replaceDisk(of: node) { $0.restoreCopy(isMarked: true) }
    }

    static let drawn = [
        DrawnFault.node(name) { node, _ in .init(BackUp(node: node), until: Restore(node: node)) }
    ]
}

/// The process ends, and another one starts on the copy that was kept, which does not show that it is one.
struct OldFolder: NodeFault {
    static let name = "old-folder"
    var node: Int

    func apply(to run: inout SimulatedRun) {
        run.replaceDisk(of: node, isHidden: true) { $0.restoreCopy(isMarked: false) }
    }

    static let drawn = [
        DrawnFault.node(name, needsPeers: true) { node, _ in
            .init(BackUp(node: node), until: OldFolder(node: node))
        }
    ]
}

/// The process ends, and another one starts on an empty disk.
struct Wipe: NodeFault {
    static let name = "wipe"
    var node: Int

    func apply(to run: inout SimulatedRun) {
        run.replaceDisk(of: node) { $0.wipe() }
    }

    static let drawn = [
        DrawnFault.of(Wipe.self, until: Restart.self),
        DrawnFault(
            name: "wipe-again", needsPeers: true,
            draw: .script { plan, time in plan.drawInterruptedRecovery(at: time) }),
    ]
}

extension FaultPlan {
    /// A node loses its disk, and its next process ends as well: soon after its start, or while it gets the data of its
    /// peers.
    fileprivate mutating func drawInterruptedRecovery(at time: Microseconds) {
        let node = random.index(below: nodes.count)
        let steps: [DiskStep] = [.loss, .stored, .received, .installed]
        let step = steps[random.index(below: steps.count)]
        let end = drawEnd(from: time)
        guard nodes.count > 1, isFree(node, at: time) else { return }
        occupy(node, until: end)
        add(Wipe(node: node), at: time)
        add(Interrupt(node: node, step: step), at: time)
    }
}

/// The process ends, and another one starts where a stored row is not what was written.
struct Rot: PeerFault {
    static let name = "rot"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.rot(node) }

    static let drawn = [DrawnFault.of(Rot.self, needsPeers: true)]
}

/// The process ends, and another one starts on a disk that has lost the last batch of an origin.
struct LoseRows: PeerFault {
    static let name = "lose-rows"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.loseRows(of: node) }

    static let drawn = [DrawnFault.of(LoseRows.self, needsPeers: true)]
}

/// A node's disk misbehaves, or works again; the process goes on.
struct DiskFault: Fault {
    static let name = "disk"

    enum Effect: Equatable {
        case trouble(VirtualDisk.Trouble?)
        /// A batch of the log is damaged.
        case rots
        /// A row of the checkpoint is damaged.
        case rotsRow
        /// The last write overwrote another row.
        case misdirects
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
        if word.text == "slow" {
            effect = .trouble(.slow(try line.removeFirst().times()))
            return
        }
        guard let known = DiskFault.effects.first(where: { $0.word == word.text }) else {
            throw .unknown(word, known: ["slow"] + DiskFault.effects.map(\.word))
        }
        effect = known.effect
        if case .trouble = effect { return }
        guard scenario.cluster.replicas > 1 else {
            throw .expected("something that a node without peers can stand", found: word)
        }
    }

    private static let effects: [(word: String, effect: Effect)] = [
        ("unreadable", .trouble(.unreadable)), ("full", .trouble(.full)),
        ("fails", .trouble(.failing)), ("lies", .trouble(.lying)), ("rots", .rots),
        ("rots-row", .rotsRow), ("misdirects", .misdirects), ("works", .trouble(nil)),
    ]

    func words(in scenario: Scenario) -> String {
        if case .trouble(.slow(let range)) = effect { return "\(node.nodeName) slow \(range.text)" }
        let word = DiskFault.effects.first { $0.effect == effect }?.word
        return "\(node.nodeName) \(word ?? "")"
    }

    func apply(to run: inout SimulatedRun) {
        switch effect {
        case .trouble(let trouble):
            run.nodes[node].disk.trouble = trouble
            if trouble == .lying { run.nodes[node].disk.lie(at: run.now) }
            if trouble == nil { return }
        case .rots: run.nodes[node].disk.damageLog()
        case .rotsRow: run.nodes[node].disk.damageRow()
        case .misdirects: run.nodes[node].disk.misdirect()
        }
        run.record.statistics.diskTroubles += 1
    }

    static let drawn = [
        DrawnFault.node("slow-disk") { node, plan in
            until(works: node, .slow(plan.drawSlowness()))
        },
        DrawnFault.node("read-errors") { node, _ in until(works: node, .unreadable) },
        DrawnFault.node("full-disk") { node, _ in until(works: node, .full) },
        DrawnFault.node("failing-disk") { node, _ in
            .init(DiskFault(node, .trouble(.failing)), until: Restart(node: node))
        },
        DrawnFault.node("lying-disk") { node, plan in lie(node, &plan) },
        DrawnFault.node("spoilt-log", needsPeers: true) { node, _ in .init(DiskFault(node, .rots))
        },
        DrawnFault.node("spoilt-row", needsPeers: true) { node, _ in
            .init(DiskFault(node, .rotsRow))
        },
        DrawnFault.node("misdirected", needsPeers: true) { node, _ in
            .init(DiskFault(node, .misdirects))
        },
    ]

    private static func until(works node: Int, _ trouble: VirtualDisk.Trouble) -> DrawnFault.Course
    {
        .init(DiskFault(node, .trouble(trouble)), until: DiskFault(node, .trouble(nil)))
    }

    /// Half of the disks that lie lose their power later, which shows the lie.
    private static func lie(_ node: Int, _ plan: inout FaultPlan) -> DrawnFault.Course {
        guard plan.random.index(below: 2) == 0 else { return until(works: node, .lying) }
        var course = DrawnFault.Course(DiskFault(node, .trouble(.lying)), until: Crash(node: node))
        course.sequel = Restart(node: node)
        return course
    }
}
