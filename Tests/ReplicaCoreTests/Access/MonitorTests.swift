import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// The requests of a monitor: status and backups, and nothing else, whatever the rules permit.
@Suite struct MonitorTests {
    private static let monitor = SessionID(number: 5)
    private var node = RuledReplica(
        #"{".read": true, ".write": true}"#, data: ["open": 1, "shut": 2])

    init() { _ = node.identify(MonitorTests.monitor, as: .monitor) }

    private mutating func ask(_ message: ClientMessage) -> [NodeMessage] {
        node.ask(message, by: MonitorTests.monitor)
    }

    private static let denied: [ClientMessage] = [
        .get(id: 2, path: "open"), .children(id: 2, path: ""), .listen(id: 2, path: "open"),
        .put(id: 2, path: "open", value: 2),
        .put(id: 2, path: "open", value: 2, condition: Condition(DataHash(of: 1))),
        .merge(id: 2, path: "", writes: [Write(path: "open", value: 2)]),
        .merge(id: 2, path: "", writes: []), .push(id: 2, path: "open", value: 2),
        .onDisconnect(id: 2, path: "open", value: 2),
        .onDisconnectMerge(id: 2, path: "", writes: [Write(path: "open", value: 2)]),
        .awaitStable(id: 2, milliseconds: 0), .evict(id: 2, member: "n2"), .rules(id: 2),
        .setRules(id: 2, source: #"{"rules": {}}"#), .explain(id: 2, statement: "read / as none"),
        .coverage(id: 2, .begin), .rulesHistory(id: 2), .writes(id: 2, beyond: VersionVector()),
        .why(id: 2, path: "open", beyond: VersionVector()),
    ]

    @Test(arguments: MonitorTests.denied)
    mutating func `a monitor neither reads nor writes data, and administers nothing`(
        message: ClientMessage
    ) {
        let answer = ask(message)
        guard case .error(2, .permissionDenied, let problem, _)? = answer.first else {
            Issue.record("\(answer) is another answer")
            return
        }
        #expect(problem == "a monitor may only read the status of nodes and take backups")
        #expect(answer.count == 1 && node.value == ["open": 1, "shut": 2])
    }

    @Test mutating func `a monitor reads the status and takes a backup`() {
        guard case .value(2, let status)? = ask(.status(id: 2)).first else {
            Issue.record("there is no status")
            return
        }
        #expect((try? NodeStatus(status))?.identity.member == "n1")
        let outputs = node.told([
            .requested(ClientMessage.backup(id: 3, name: "b").frame, by: MonitorTests.monitor)
        ])
        #expect(outputs[MonitorTests.monitor]?.first?.code == nil)
    }

    @Test mutating func `a monitor reads the status while the disk is full`() {
        _ = node.told([.storageFailed(problem: "/data/n1 is full", fix: "free some of 7 GB")])
        guard case .value(2, _)? = ask(.status(id: 2)).first else {
            Issue.record("there is no status")
            return
        }
    }

    @Test
    mutating func `an administrator that becomes a monitor loses its listens and last writes`() {
        _ = node.identify(MonitorTests.monitor, as: .administrator(name: nil))
        _ = ask(.listen(id: 2, path: "open"))
        _ = ask(.onDisconnect(id: 3, path: "left", value: 1))
        let told = node.identify(MonitorTests.monitor, as: .monitor)[MonitorTests.monitor]
        #expect(told?.contains { $0.code == .permissionDenied } == true)
        _ = node.told([.closed(MonitorTests.monitor)])
        #expect(node.value == ["open": 1, "shut": 2])
    }
}
