import ReplicaCore
import SyncProtocol

// Which nodes make up the cluster.

/// A node is asked to evict another one.
struct Evict: Fault {
    static let name = "evict"
    var node: Int
    var other: Int

    init(_ node: Int, by other: Int) {
        self.node = node
        self.other = other
    }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        node = try line.node(in: scenario)
        other = try line.node(in: scenario)
    }

    func words(in scenario: Scenario) -> String { "\(node.nodeName) \(other.nodeName)" }

    func apply(to run: inout SimulatedRun) { run.evict(node, by: other) }

    static let drawn = [
        DrawnFault.node(name, needsPeers: true) { node, plan in
            .init(Evict(node, by: plan.random.index(below: plan.nodes.count)))
        }
    ]
}

/// The process ends, its disk is gone, and the node never starts again.
struct Abandon: PeerFault {
    static let name = "abandon"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.abandon(node) }

    static let drawn = [
        // A rejoining node waits for all members, until the one that is gone for good leaves the list.
        DrawnFault(
            name: name, excluded: [Evict.name, MemberList.name],
            draw: .script { plan, time in
                let node = plan.random.index(below: plan.nodes.count)
                // At most one node of a run, so that the others remain a majority.
                guard plan.nodes.count > 2, plan.isFree(node, at: time), !plan.hasLostNode
                else { return }
                plan.occupy(node, until: .max)
                plan.add(Abandon(node: node), at: time)
            })
    ]
}

/// The nodes that make up the cluster from now on, ascending: all are stopped, and these are started with
/// the new list.
struct MemberList: Fault {
    static let name = "members"
    var members: [Int]

    init(_ members: [Int]) { self.members = members }

    init(_ line: inout ScenarioLine, of scenario: Scenario) throws(ScenarioError) {
        var members: [Int] = []
        repeat {
            let word = line.peek
            let node = try line.node(in: scenario)
            guard !members.contains(node) else {
                throw .expected("each node once", found: word)
            }
            members.append(node)
        } while !line.isAtEnd
        self.members = members.sorted()
    }

    func words(in scenario: Scenario) -> String {
        members.map(\.nodeName).joined(separator: " ")
    }

    func apply(to run: inout SimulatedRun) { run.change(members: members) }

    static let drawn = [
        DrawnFault(name: name, draw: .script { plan, time in plan.drawAbsence(at: time) })
    ]
}

extension FaultPlan {
    /// A node is not a member for a while, and returns with its data, or with an empty disk.
    fileprivate mutating func drawAbsence(at time: Microseconds) {
        let node = random.index(below: nodes.count)
        let hasDisk = random.index(below: 2) == 0
        let end = drawEnd(from: time)
        guard nodes.count > 2, isFree(node, at: time), time >= membersBusy, end < scenario.until
        else { return }
        occupy(node, until: end)
        // The next one goes when this one is back for good.
        membersBusy = end + .seconds(1)
        add(MemberList(nodes.filter { $0 != node }), at: time)
        if !hasDisk { add(Wipe(node: node), at: end) }
        add(MemberList(Array(nodes)), at: end)
    }
}

/// Another process starts under the name of a node, somewhere else.
struct Duplicate: PeerFault {
    static let name = "duplicate-node"
    var node: Int

    func apply(to run: inout SimulatedRun) { run.startDuplicate(of: node) }

    static let drawn = [DrawnFault.of(Duplicate.self, needsPeers: true)]
}

extension Scenario {
    /// Whether the others go on without a node that may hold more than they do.
    var givesUpNodes: Bool {
        changesMembers
            || script.contains { scripted in
                guard case .fault(let fault) = scripted.action else { return false }
                return fault is Evict || fault is Abandon
            }
    }

    /// Whether nodes are members for a part of the run alone.
    var changesMembers: Bool {
        cluster.newcomers > 0
            || script.contains { scripted in
                if case .fault(let fault) = scripted.action { fault is MemberList } else { false }
            }
    }
}
