import DataTree
import ReplicaCore
import Store
import SyncProtocol

// Nodes: their turns, and what their replicas want done.

extension SimulatedRun {
    mutating func start(_ node: Int) {
        guard nodes[node].mayStart, startProcess(of: node) else { return }
        nodes[node].startedAt = now
        beginService(of: node)
        access?.watches[node].restart()
        // A new process has handles of its own.
        freeHandles(of: node)
        network.reconnect(node, at: now)
        releaseWaiting(for: node)
        if let standing = nodes[node].standing {
            record.names.add(standing.writer, node: node)
            record.recording.record(
                start: view(of: node, standing), node: node, incarnation: nodes[node].incarnation,
                at: now)
            record.recording.record(durable: nodes[node].disk.durable, node: node, at: now)
            for entry in nodes[node].disk.batches { record.archive.record(entry) }
            observe { watch, run in watch.replacedData(of: node, in: &run) }
        }
        let delay = random.time(in: scenario.cluster.start)
        schedule(.tick(node: node, incarnation: nodes[node].incarnation), after: delay)
    }

    /// Starts a process on the durable data, which it moves aside if it is damaged. False if the process
    /// cannot start.
    private mutating func startProcess(of node: Int) -> Bool {
        do throws(MemoryTables.Failure) {
            try nodes[node].start()
            noteContradiction(of: node)
            let held = nodes[node].standing?.vector ?? VersionVector()
            if let since = nodes[node].disk.noteStart(holding: held) {
                record.losses.append(Loss(node: node, since: since, until: now, kind: .hidden))
                noteOldDisk(of: node)
            }
            return true
        } catch {
            guard nodes[node].disk.isDamaged else {
                quiescence.fail("\(nodes[node].name) cannot read its disk: \(error)")
                return false
            }
            record.statistics.damagedDisks += 1
            record.losses.append(
                Loss(node: node, since: nodes[node].disk.wipe(), until: now, kind: .known))
            noteOldDisk(of: node)
            return startProcess(of: node)
        }
    }

    mutating func tick(_ node: Int, incarnation: Int) {
        guard nodes[node].incarnation == incarnation, nodes[node].isUp else { return }
        schedule(.tick(node: node, incarnation: incarnation), after: nodes[node].tickDelay())
        scheduleDisk(of: node, at: nodes[node].disk.tick(at: now))
        observe { watch, run in watch.ticked(node, in: &run) }
        actHostile(at: node)
        if nodes[node].state == .running { scheduleTurn(node) }
    }

    mutating func scheduleTurn(_ node: Int) {
        guard !nodes[node].isTurnScheduled else { return }
        nodes[node].isTurnScheduled = true
        schedule(
            .turn(node: node, incarnation: nodes[node].incarnation), after: nodes[node].turnDelay())
    }

    mutating func turn(_ node: Int, incarnation: Int) {
        guard nodes[node].incarnation == incarnation else { return }
        nodes[node].isTurnScheduled = false
        let stableTime = nodes[node].standing?.stableTime ?? .zero
        noteClock(of: node)
        let outputs = nodes[node].turn(at: now)
        judgeAccess(of: node, doing: outputs)
        execute(outputs, of: node)
        judgeKeys(of: node)
        if nodes[node].state == .running { nodes[node].disk.replacement = nil }
        if !nodes[node].waitsForRoom { noteRoom(at: node) }
        guard let standing = nodes[node].standing else { return }
        noteReturn(of: node, standing)
        noteRecovery(of: node, standing)
        if !record.recording.isOn { return }
        record.recording.record(
            turnOf: view(of: node, standing), node: node, incarnation: incarnation,
            stableTime: stableTime,
            at: now)
        noteServings(of: node)
        noteSessionEnds(at: node)
        noteCaughtUp(at: node)
    }

    /// The recorded state of a node's replica.
    private mutating func view(of node: Int, _ standing: Replica.Standing) -> Recording.ReplicaView
    {
        Recording.ReplicaView(
            writer: standing.writer, vector: standing.vector,
            value: scenario.isSmall ? nodes[node].shown() : .null)
    }

    /// Records what a node's process is about to read from its clock.
    mutating func noteClock(of node: Int) {
        record.recording.record(
            wallMilliseconds: nodes[node].clock.moment(at: now).wallMilliseconds, at: now)
    }

    mutating func give(_ input: Input, to node: Int) {
        if nodes[node].receive(input) { scheduleTurn(node) }
    }

    // MARK: Frames of peers

    mutating func takePublished(_ frame: PeerFrame) {
        guard !waits(frame, .published(frame)) else { return }
        network.leaveQueue(from: frame.from, to: frame.to, epoch: frame.epoch)
        if let duplicateNode = liveDuplicate(of: frame.to) {
            record.duplicateNodes[duplicateNode].waiting.append(.published(frame.bytes))
        }
        receive(.published(frame.bytes), frame)
    }

    mutating func takeAsked(_ frame: PeerFrame) {
        guard !waits(frame, .asked(frame)) else { return }
        receive(.asked(frame.bytes, by: nodes[frame.from].name), frame)
    }

    mutating func takeAnswered(_ frame: PeerFrame) {
        guard !waits(frame, .answered(frame)) else { return }
        let input = Input.answered(frame.bytes, from: nodes[frame.from].name)
        // The process that connected last under a name gets the frames sent to that name.
        if let duplicateNode = liveDuplicate(of: frame.to), random.index(below: 2) == 0 {
            return record.duplicateNodes[duplicateNode].waiting.append(input)
        }
        receive(input, frame)
    }

    /// Keeps a frame in its queue that its receiver cannot accept now.
    private mutating func waits(_ frame: PeerFrame, _ event: Event) -> Bool {
        let isStuck =
            network.isClogged(from: frame.from, to: frame.to) || nodes[frame.to].state == .paused
        if isStuck { network.wait(event, from: frame.from, to: frame.to) }
        return isStuck
    }

    /// Frames that waited for a node arrive now, if they still can.
    mutating func releaseWaiting(for node: Int) {
        for event in network.takeWaiting(for: node) { schedule(event, after: 0) }
    }

    private mutating func receive(_ input: Input, _ frame: PeerFrame) {
        guard nodes[frame.to].isUp,
            network.isConnected(from: frame.from, to: frame.to, epoch: frame.epoch)
        else { return network.noteDropped() }
        give(input, to: frame.to)
    }

    // MARK: Outputs

    mutating func execute(_ outputs: [Output], of node: Int) {
        var stored: [LogEntry] = []
        for output in outputs {
            trace.combine(output, of: node)
            record.performed?.append((node, output))
            judgeAccess(telling: output, by: node)
            switch output {
            case .store(let turn):
                stored += turn.batches
                for entry in turn.batches { record.archive.record(entry) }
                store(turn, of: node)
            case .synchronize:
                scheduleDisk(of: node, at: nodes[node].disk.synchronize(at: now))
            case .publish(let frame, _):
                record.recording.record(published: frame, node: node)
                publish(frame, from: node)
            case .ask(let member, let frame): ask(member, frame, from: node)
            case .answer(let member, let frame): answer(member, frame, from: node)
            case .reply(let session, let frame): reply(frame, to: session)
            case .replyLarge(let session, let frame): reply(frame.encoded, to: session)
            case .replyMessages: break  // The core has passed them to its gateway.
            // Clients of runs send little: what their nodes would leave unread is read, and waits there.
            case .pauseReading, .resumeReading: break
            case .perform(let request):
                noteRewriting(request, by: node)
                scheduleDisk(of: node, at: nodes[node].disk.execute(request, at: now))
            case .backUp(_, _, .none):
                record.losses.append(Loss(node: node, since: 0, until: now, kind: .dataAlone))
            case .backUp(let name, let id, let session):
                let copy = DatabaseCopies.Request(name: name, id: id, session: session)
                scheduleDisk(of: node, at: nodes[node].disk.write(copy, at: now))
            case .giveUp(let problem, _):
                quiescence.fail("\(nodes[node].name) gives up: \(problem)")
            // Freed at once: nothing that a run observes depends on it.
            case .free: break
            case .serve: noteService(by: node)
            }
        }
        flushPort(of: node)
        noteInstallation(by: node)
        if !stored.isEmpty, let standing = nodes[node].standing {
            record.recording.record(
                stored: stored, by: standing.writer, node: node,
                incarnation: nodes[node].incarnation, at: now)
        }
        observe { watch, run in watch.executedOutputs(of: node, storing: stored, in: &run) }
    }

    private mutating func store(_ turn: Turn, of node: Int) {
        scheduleDisk(of: node, at: nodes[node].disk.commit(turn, at: now))
    }

    private mutating func publish(_ bytes: [UInt8], from node: Int) {
        for peer in nodes.indices where peer != node {
            for delivery in network.publish(bytes, from: node, to: peer, at: now) {
                queue.schedule(
                    .published(frame(delivery, from: node, to: peer)), at: delivery.time)
            }
        }
    }

    mutating func ask(_ member: String, _ bytes: [UInt8], from node: Int) {
        guard let peer = nodes.firstIndex(where: { $0.name == member }),
            let delivery = network.ask(bytes, from: node, to: peer, at: now)
        else { return }
        queue.schedule(.asked(frame(delivery, from: node, to: peer)), at: delivery.time)
    }

    private mutating func answer(_ member: String, _ bytes: [UInt8], from node: Int) {
        guard let peer = nodes.firstIndex(where: { $0.name == member }),
            let delivery = network.answer(bytes, from: node, to: peer, at: now)
        else { return }
        queue.schedule(.answered(frame(delivery, from: node, to: peer)), at: delivery.time)
    }

    private func frame(
        _ delivery: VirtualNetwork.Delivery, from: Int, to: Int
    ) -> PeerFrame {
        let epoch = network.epoch(from: from, to: to)
        return PeerFrame(from: from, to: to, epoch: epoch, bytes: delivery.bytes)
    }
}
