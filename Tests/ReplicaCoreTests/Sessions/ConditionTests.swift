import DataTree
import ReplicaCore
import SyncProtocol
import Testing

@Suite struct ConditionTests {
    @Test func `a put takes effect if the value has the hash of its condition`() {
        var cluster = TestCluster(1)
        let empty = Condition(DataHash(of: .null))
        cluster.send(.put(id: 1, path: "n", value: 4, condition: empty), to: "n1")
        cluster.send(
            .put(id: 2, path: "n", value: 5, condition: Condition(DataHash(of: 4))), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2)])
        #expect(cluster["n1"].value == ["n": 5])
    }

    @Test func `a listener receives newer data before the refusal of its put`() {
        var cluster = TestCluster(1)
        cluster.send(.listen(id: 1, path: "n"), to: "n1")
        cluster.send(.put(id: 1, path: "n", value: 7), by: 2, to: "n1")
        let put = ClientMessage.put(
            id: 2, path: "n", value: 1, condition: Condition(DataHash(of: .null)))
        cluster.send(put, to: "n1")
        let told = cluster.takeReplies()
        #expect(told[2] == .change(listen: 1, writes: [Write(path: .root, value: 7)]))
        guard case .error(id: 2, code: .changed, let problem, _) = told[3] else {
            Issue.record("expected a refusal, got \(told[3])")
            return
        }
        #expect(problem == "the value at /n does not meet the condition")
        #expect(cluster["n1"].value == ["n": 7])
    }
}
