internal import ClusterAdministration
internal import ClusterSimulator
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import LoadTools

/// A scenario against real nodes: processes of this machine, on real disks, in real time.
///
/// Nodes are killed, stopped, suspended and lose their disks when the scenario says, and a proxy between them has their network
/// fail; clients send what simulated ones would.
/// Only processes that the run has started end, and they end with it.
struct RealRun {
    private let plan: RealPlan
    private let cluster: Cluster
    private let witnesses: [SoakWitness]
    /// Stands between all ends, if the plan needs that.
    private let proxy: FaultProxy?
    private var kills: [(node: String, time: UInt64)] = []
    private var wipes: [(node: String, time: UInt64)] = []
    private var reads: [(read: RealRead, time: UInt64, found: Value?)] = []

    /// Runs a plan, and judges it by the checks that real runs have.
    ///
    /// - Throws: when the scenario takes too long, or a node cannot be started.
    static func run(
        _ plan: RealPlan, seed: UInt64
    ) throws(CommandError) -> [CheckResult] {
        guard plan.end <= RealPlan.limit else {
            throw CommandError(
                .badData,
                "the scenario takes \(plan.end / 1_000_000) s, and a real run 60 s at most",
                fix: "write a scenario with an earlier \"until\"")
        }
        var (proxy, clientAddresses): (FaultProxy?, [[String]]) = (nil, [])
        defer { proxy?.close() }
        let relay = TemporaryCluster.Relay(
            portCount: RealRoutes.portCount(nodes: plan.nodes, clients: plan.proxiedClients)
        ) { (file, ports) throws(CommandError) in
            let routes = RealRoutes(&file, clients: plan.proxiedClients, ports: ports)
            clientAddresses = routes.clientAddresses
            proxy = try FaultProxy(routes.routes, pace: plan.linkPace, seed: seed)
        }
        return try TemporaryCluster.with(
            plan.nodes, durability: plan.durability, recording: true,
            through: plan.needsProxy ? relay : nil
        ) { (cluster) throws(CommandError) in
            var run = try RealRun(plan, cluster.cluster, proxy, clientAddresses, seed: seed)
            return try run.run(recordsIn: cluster.records)
        }
    }

    private init(
        _ plan: RealPlan, _ cluster: Cluster, _ proxy: FaultProxy?, _ clientAddresses: [[String]],
        seed: UInt64
    ) throws(CommandError) {
        self.plan = plan
        self.cluster = cluster
        self.proxy = proxy
        var witnesses: [SoakWitness] = []
        for index in 0..<plan.clients {
            let addresses =
                clientAddresses.isEmpty ? cluster.file.nodes.map(\.client) : clientAddresses[index]
            witnesses.append(
                try SoakWitness(
                    index, of: plan.clients, at: addresses,
                    seed: seed &+ UInt64(index) &* 7919, pace: plan.pace,
                    asking: RealRequests(plan, client: index, seed: seed)))
        }
        self.witnesses = witnesses
    }

    private mutating func run(recordsIn folder: String) throws(CommandError) -> [CheckResult] {
        if let data = plan.data {
            try NodeClient(nodes: cluster.file.nodes.map(\.client)).put(data, at: .root)
            _ = try cluster.stableTrees()
        }
        let start = SoakClock.microseconds
        try drive(from: start)
        proxy?.apply(.heal)
        for node in cluster.file.nodes {
            cluster.process(of: node)?.send(SIGCONT)
            if cluster.process(of: node) == nil { try cluster.start(node) }
        }
        for witness in witnesses { witness.finish(within: .seconds(20)) }
        let trees = try cluster.stableTrees().map(\.tree)
        return try SoakJudgement(
            of: witnesses.map(\.testimony), cluster, recordsIn: folder, (kills, wipes),
            durability: plan.durability
        ) { [plan, reads] run in
            run.evaluate(plan, trees: trees, reads: reads, start: start)
        }.results
    }

    /// Does each step at its time, and lets clients work, until the end.
    private mutating func drive(from start: UInt64) throws(CommandError) {
        var steps = plan.steps[...]
        var nextMove = plan.move
        var moved = 0
        while case let elapsed = SoakClock.microseconds - start, elapsed < plan.end {
            try StopRequest.check()
            while let next = steps.first, next.time <= elapsed {
                steps.removeFirst()
                try execute(next.step)
            }
            if let move = plan.move, let time = nextMove, time <= elapsed, !witnesses.isEmpty {
                witnesses[moved % witnesses.count].move()
                moved += 1
                nextMove = time + move / UInt64(witnesses.count) + 1
            }
            for witness in witnesses { witness.work() }
            pause(milliseconds: 2)
        }
    }

    // MARK: Steps

    private mutating func execute(_ step: RealPlan.Step) throws(CommandError) {
        switch step {
        case .kill(let node): kill(cluster.file.nodes[node])
        case .stop(let node):
            cluster.stop([cluster.file.nodes[node]], within: .seconds(10)) { _, _ in }
        case .start(let node):
            if cluster.process(of: cluster.file.nodes[node]) == nil {
                try cluster.start(cluster.file.nodes[node])
            }
        case .suspend(let node): cluster.process(of: cluster.file.nodes[node])?.send(SIGSTOP)
        case .resume(let node): cluster.process(of: cluster.file.nodes[node])?.send(SIGCONT)
        case .wipe(let node): try wipe(cluster.file.nodes[node])
        case .request(let client, let request): witnesses[client].add(request)
        case .network(let change): proxy?.apply(change)
        case .read(let read): reads.append((read, SoakClock.microseconds, found(at: read)))
        }
    }

    private mutating func kill(_ node: Cluster.Node) {
        guard cluster.kill(node) != nil else { return }
        kills.append((node.id, SoakClock.microseconds))
    }

    private mutating func wipe(_ node: Cluster.Node) throws(CommandError) {
        kill(node)
        wipes.append((node.id, SoakClock.microseconds))
        removeFolder(cluster.folder(of: node))
        try cluster.start(node)
    }

    /// The tree of a node; nil if the node does not answer soon.
    private func found(at read: RealRead) -> Value? {
        let node = cluster.file.nodes[read.node]
        return try? NodeClient(nodes: [node.client], within: .milliseconds(500)).get(read.path)
    }
}
