import ReplicaCore
import SyncProtocol

// Processes and machines: how they end, stand still and run short of something.

extension SimulatedRun {
    mutating func crash(_ node: Int) {
        guard nodes[node].state != .down else { return }
        losePower(of: node)
    }

    private mutating func losePower(of node: Int) {
        noteEnd(of: node, losing: nodes[node].crash())
        if let since = nodes[node].disk.noteLostPower(at: now) {
            record.losses.append(Loss(node: node, since: since, until: now, kind: .hidden))
            noteOldDisk(of: node)
        }
        if scenario.cluster.durability == .interval { noteOldDisk(of: node) }
    }

    mutating func kill(_ node: Int) {
        guard nodes[node].state != .down else { return }
        noteEnd(of: node, losing: nodes[node].kill())
    }

    private mutating func noteEnd(of node: Int, losing lost: Int) {
        record.statistics.crashes += 1
        disturbStarts()
        if let vector = nodes[node].disk.replacement {
            record.recording.record(replaced: vector, node: node)
        }
        record.statistics.lostTurns += lost
        noteCrash(of: node)
        _ = nodes[node].clock.wake(at: now)
        noteRoom(at: node)
        breakConnections(of: node)
    }

    /// A process has ended that may have left unsynced data.
    private mutating func noteCrash(of node: Int) {
        let since = scenario.cluster.unsyncedWindow.map {
            nodes[node].suspensions.time(before: now, running: $0)
        }
        record.crashes.append(UnsyncedEnd(node: node, time: now, unsyncedSince: since))
    }

    /// A process starts on another disk than its predecessor's.
    mutating func replaceDisk(
        of node: Int, isHidden: Bool = false,
        with replace: (inout VirtualDisk) -> Microseconds
    ) {
        kill(node)
        record.losses.append(
            Loss(
                node: node, since: replace(&nodes[node].disk), until: now,
                kind: isHidden ? .hidden : .known))
        noteOldDisk(of: node)
        start(node)
    }

    /// The process ends, and its successor finds damage.
    mutating func rot(_ node: Int) {
        kill(node)
        nodes[node].disk.damage()
        record.statistics.diskTroubles += 1
        start(node)
    }

    /// The process ends, and its successor finds less of an origin than was written.
    mutating func loseRows(of node: Int) {
        kill(node)
        nodes[node].disk.loseEnd()
        noteOldDisk(of: node)
        record.statistics.diskTroubles += 1
        start(node)
    }

    /// A process whose disk has failed ends; half of the machines go on, and show what was never written.
    mutating func endWithDisk(_ node: Int) {
        if random.index(below: 2) == 0 { kill(node) } else { losePower(of: node) }
    }

    mutating func stop(_ node: Int) {
        guard nodes[node].isUp else { return }
        disturbStarts()
        _ = nodes[node].clock.wake(at: now)
        noteClock(of: node)
        for index in connections.indices where connections[index].node == node {
            connections[index].end(at: now)
        }
        execute(nodes[node].stop(at: now), of: node)
    }

    /// A node that was stopping has written its last turn.
    mutating func endProcess(_ node: Int) {
        _ = nodes[node].kill()
        // None of its data is on a disk.
        if scenario.cluster.durability == .memory { noteCrash(of: node) }
        record.statistics.stops += 1
        breakConnections(of: node)
    }

    mutating func pause(_ node: Int) {
        guard nodes[node].state == .running else { return }
        disturbStarts()
        nodes[node].pause(at: now)
        record.statistics.pauses += 1
    }

    /// Like a closed laptop: frames wait, unless the sleep is long.
    mutating func sleep(_ node: Int) {
        guard nodes[node].state == .running else { return }
        pause(node)
        nodes[node].clock.sleep(at: now)
    }

    mutating func resume(_ node: Int) {
        guard nodes[node].state == .paused else { return }
        let slept = nodes[node].clock.wake(at: now)
        // Peers have given up their connections to it.
        if slept >= SimulatedRun.heartbeatTimeout { breakEverything(of: node) }
        nodes[node].resume(at: now)
        releaseWaiting(for: node)
        scheduleTurn(node)
    }

    private mutating func breakEverything(of node: Int) {
        network.reconnect(node, at: now)
        for index in connections.indices
        where connections[index].node == node && !connections[index].isBroken {
            schedule(.nodeLost(connection: index), after: 0)
        }
        breakConnections(of: node)
    }

    // MARK: What a process needs

    mutating func exhaustHandles(of node: Int) {
        nodes[node].hasHandles = false
        network.exhaust(node)
        record.statistics.shortages += 1
    }

    mutating func freeHandles(of node: Int) {
        nodes[node].hasHandles = true
        network.free(node, at: now)
        acceptConnections(of: node)
    }
}
