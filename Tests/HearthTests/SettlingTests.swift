import Hearth
import Testing

@Suite(.timeLimit(.minutes(1))) struct `What is settled` {
    @Test func `waits for the writes of others`() async throws {
        let cluster = try TestNode(count: 3)
        let (ada, bob) = (Database(nodes: [cluster.urls[0]]), Database(nodes: [cluster.urls[1]]))
        defer {
            ada.close()
            bob.close()
        }
        try await bob.reference(withPath: "votes/bob").setValue(1)
        try await ada.waitUntilStable()
        let votes = try await ada.reference(withPath: "votes").getData()
        #expect(votes.childSnapshot(forPath: "bob").value as? Int == 1)

        let error = await #expect(throws: HearthError.self) {
            try await ada.waitUntilStable(within: .milliseconds(10))
        }
        #expect(error?.code == .notStable)
        #expect(
            error?.problem.contains("nodes accept writes with stamps up to 5000 ms old") == true)
    }
}
