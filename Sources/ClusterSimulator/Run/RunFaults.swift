import ReplicaCore
import SyncProtocol

// Faults: those that the scenario names, and those drawn from the seed.

extension SimulatedRun {
    /// Somebody who asks, and does not wait for an answer.
    static let operatorSession = SessionID(number: .max)

    mutating func perform(_ action: Scenario.Scripted.Action) {
        switch action {
        case .fault(let fault): perform(fault)
        case .request(let client, let request):
            clients[client].scripted.append(request)
            schedule(.clientActs(client), after: 0)
        }
    }

    mutating func perform(_ fault: Fault) {
        switch fault {
        case .crash(let node): crash(node)
        case .kill(let node): kill(node)
        case .restart(let node): start(node)
        case .stop(let node): stop(node)
        case .pause(let node): pause(node)
        case .resume(let node), .wake(let node): resume(node)
        case .sleep(let node): sleep(node)
        case .slowDown(let node, let range):
            nodes[node].slowness = range
            if range != nil { statistics.shortages += 1 }
        case .exhaustHandles(let node): exhaustHandles(of: node)
        case .freeHandles(let node): freeHandles(of: node)
        case .backUp(let node): nodes[node].disk.backUp(at: now)
        case .restore(let node): replaceDisk(of: node) { $0.restoreCopy() }
        case .wipe(let node): replaceDisk(of: node) { $0.wipe() }
        case .abandon(let node): abandon(node)
        case .members(let members): change(members: members)
        case .rot(let node): rot(node)
        case .spoil(let node):
            nodes[node].disk.damageLog(sealed: defect?.trustedPart)
            statistics.diskTroubles += 1
        case .misdirect(let node):
            nodes[node].disk.misdirect()
            statistics.diskTroubles += 1
        case .duplicateNode(let node): startDuplicate(of: node)
        case .evict(let node, let other):
            refusals.append(Refusal(node: node, reason: Refusal.evicted, since: now))
            // By the id it is known what became of it.
            let id = UInt64(refusals.count)
            let request = ClientMessage.evict(id: id, member: nodes[node].name)
            give(.requested(request.frame, by: SimulatedRun.operatorSession), to: other)
        case .step(let node, let milliseconds):
            nodes[node].clock.step(milliseconds: milliseconds)
            statistics.clockSteps += 1
        case .clock(let node, let mode):
            nodes[node].clock.set(mode, at: now)
            statistics.clockSteps += 1
        case .disk(let node, let trouble):
            nodes[node].disk.trouble = trouble
            if trouble == .lying { nodes[node].disk.lie(at: now) }
            if trouble != nil { statistics.diskTroubles += 1 }
        default: performInNetwork(fault)
        }
    }

    private mutating func performInNetwork(_ fault: Fault) {
        switch fault {
        case .partition(let groups):
            network.partition(groups.map { $0.map(number) }, at: now)
            notePartition()
        case .cut(let from, let to):
            network.cut(from: number(from), to: number(to), at: now)
            notePartition()
        case .ring:
            network.makeRing(at: now)
            notePartition()
        case .clog(let from, let to):
            network.clog(from: from, to: to)
            statistics.badLinks += 1
        case .unclog(let from, let to):
            network.unclog(from: from, to: to)
            releaseWaiting(for: to)
        case .halfOpen(let from, let to):
            network.halfOpen(from: from, to: to, until: now + SimulatedRun.heartbeatTimeout)
            statistics.badLinks += 1
        case .lose(let topic, let from, let to):
            network.lose(topic, from: from, to: to)
            statistics.badLinks += 1
        case .degrade(let from, let to, let quality):
            network.degrade(from: from, to: to, quality)
            statistics.badLinks += 1
        case .disconnect(let a, let b):
            network.disconnect(a, b, at: now)
            statistics.badLinks += 1
        case .flap(let from, let to):
            flap(from, to, round: network.round)
            statistics.badLinks += 1
        case .heal:
            network.heal(at: now)
            for node in nodes.indices { releaseWaiting(for: node) }
        default: preconditionFailure("\(fault) is no fault of the network")
        }
    }

    mutating func flap(_ from: Int, _ to: Int, round: Int) {
        guard round == network.round else { return }
        let next = network.flap(from: from, to: to, at: now)
        queue.schedule(.flapped(from: from, to: to, round: round), at: next)
    }

    private func number(_ endpoint: Endpoint) -> Int {
        switch endpoint {
        case .node(let node): node
        case .client(let client): nodes.count + client
        }
    }

    private mutating func notePartition() {
        statistics.partitions += 1
    }
}
