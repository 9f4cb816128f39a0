import Testing

/// Databases that sleep, wake, appear and are removed while nodes crash and frames are lost.
@Suite struct DatabaseFaultsTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `no acknowledged write is lost, stale after waking, or in another database`(seed: UInt64) {
        var cluster = FaultyCluster(seed: seed)
        cluster.run(for: 20_000)
        cluster.checkEnd()
        #expect(cluster.findings.prefix(5) == [])
        #expect(cluster.acknowledged.count > 30)
        #expect(cluster.nodes.allSatisfy { $0.wakeCount > 5 })
    }
}
