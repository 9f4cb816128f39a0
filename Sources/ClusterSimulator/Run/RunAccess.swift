import DataTree
import QueryEngine
import ReplicaCore
import Rules
import RulesOracle
import SyncProtocol

// Rules: how they come, and how what nodes do by them is judged.

extension SimulatedRun {
    /// Puts the first rules on all disks, and begins to judge.
    mutating func beginAccess() {
        let first = scenario.rules.first.flatMap { document($0) }
        if let first { load(first.batch, named: "rules") }
        guard scenario.clients.users > 0 else { return }
        var history = RulesHistory(scenario.documents)
        if let first {
            history.add(first)
            history.add(first.batch)
        }
        access = AccessJudgement(
            history: history, watches: nodes.map { AccessWatch($0.name) })
    }

    /// The rules that a scenario names, or others each time.
    private mutating func document(_ file: String) -> RulesDocument? {
        guard file == DrawnDocument.word else {
            return scenario.documents.first { $0.file == file }
        }
        return DrawnDocument.draw(&draws.rules)
    }

    /// Installs other rules at a node, as an administrator. Nothing happens at a node that does not serve, since its
    /// port refuses all clients.
    mutating func setRules(_ file: String, on node: Int) {
        guard let document = document(file), nodes[node].isServing else { return }
        probeAccess(of: node)
        if file == DrawnDocument.word { giveFaultyRules(to: node) }
        access?.history.add(document)
        ask(ClientMessage.setRules(id: 1, source: document.source), of: node)
    }

    /// Gives a node rules that it has to refuse.
    private mutating func giveFaultyRules(to node: Int) {
        let (document, problem) = DrawnDocument.drawFaulty(&draws.rules)
        guard let id = access?.add(problem, of: node) else { return }
        ask(ClientMessage.setRules(id: id, source: document), of: node)
    }

    /// Evaluates the last turn of a node, before its outputs leave.
    mutating func judgeAccess(of node: Int, doing outputs: [Output]) {
        guard var access else { return }
        self.access = nil
        for case .store(let turn) in outputs {
            for entry in turn.batches { access.history.add(entry) }
        }
        for event in nodes[node].record.takeAccessEvents() {
            access.watches[node].check(event, access.history, mayBe: identities)
        }
        for case .store(let turn) in outputs {
            for entry in turn.batches where entry.origin == nodes[node].replica?.writer {
                guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
                let isDecided = batch.operations.contains { $0.term != nil }
                let others = isDecided ? access.watches.map(\.attributions) : []
                access.watches[node].check(batch, wantedBy: others)
            }
        }
        let replica = nodes[node].replica
        access.watches[node].endTurn(
            isExempt: nodes[node].waitsForRoom,
            isSlow: { replica?.holdsBack(from: $0) ?? false },
            isToConnectAgain: { replica?.isToConnectAgain($0) == true },
            hasListen: { replica?.hasListen($1, of: $0) ?? true })
        self.access = access
    }

    /// The possible identities of the client of a session; nil for clients without identities.
    private func identities(of session: SessionID) -> [UserIdentity]? {
        guard session.number <= UInt64(connections.count) else { return nil }
        let connection = connections[Int(session.number) - 1]
        return clients[connection.client].isUser ? connection.mayBe : nil
    }

    /// Judges what a node tells a client.
    mutating func judgeAccess(telling output: Output, by node: Int) {
        guard access != nil else { return }
        switch output {
        case .reply(let session, let frame):
            for case .message(let message) in (try? FrameReader<NodeMessage>.messages(in: frame))
                ?? []
            {
                access?.watches[node].check(message, to: session)
            }
        case .replyLarge(let session, let frame):
            judgeAccess(telling: .reply(session, frame.encoded), by: node)
        case .replyMessages(let session, let answers):
            for answer in answers { access?.watches[node].check(answer.message, to: session) }
        default: break
        }
    }

    // MARK: In the end

    /// The first node that does not enforce the rules of the last writer, and how; nil if all do.
    var rulesProblem: String? {
        guard let access else { return nil }
        for node in nodes where node.belongs {
            guard var replica = node.replica,
                let rules = access.history.rules(in: replica.vector)
            else { continue }
            if let problem = access.history.problem(
                of: replica.rulesHistoryReport, in: replica.vector)
            {
                return "\(node.name) reports \(problem)"
            }
            let milliseconds = node.clock.moment(at: now).wallMilliseconds
            let probed = SessionID(number: .max - 1)
            for uid in UserProgram.names {
                for path in UserProgram.probes {
                    let expected = rules.mayRead(
                        path, Query(), by: .user(uid), at: milliseconds, in: replica.value)
                    let found = replica.permitsRead(of: path, by: .user(uid), probed)
                    if found != expected {
                        return "\(node.name) \(found ? "lets" : "does not let") \(uid) read \(path)"
                    }
                }
            }
        }
        return nil
    }
}

extension Replica {
    /// Whether a user may read a place now, as a session learns it that is opened for that.
    fileprivate mutating func permitsRead(
        of path: Path, by user: Claim, _ session: SessionID
    ) -> Bool {
        _ = step(.opened(session))
        _ = step(.identified(session, .user(user)))
        _ = step(.requestedMessages([.listen(id: 1, path: path)], by: session))
        defer { _ = step(.closed(session)) }
        return hasListen(1, of: session)
    }
}
