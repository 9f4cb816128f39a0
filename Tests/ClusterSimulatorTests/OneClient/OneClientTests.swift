import DataTree
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// While nothing fails, one client cannot tell three nodes from one: its requests, sent without waiting for answers, get the same
/// answers at each node, and have the same effect.
@Suite struct OneClientTests {
    private struct Result: Equatable {
        var answers: [UInt64: String] = [:]
        var value = Value.null
    }

    private let one = OneClientCluster(nodes: 1)
    private let three = OneClientCluster(nodes: 3)

    /// - Parameter leaves: Whether the client is gone as soon as it has sent all.
    private func run(
        _ program: OneClientProgram, by way: OneClientConnection.Way, at node: Int,
        of fresh: OneClientCluster, seed: UInt64, leaves: Bool
    ) -> Result {
        var cluster = fresh
        cluster.random = SplitMix64(seed: seed)
        var client = OneClientConnection(by: way, to: node, of: &cluster)
        func pass(_ milliseconds: UInt64) {
            for _ in 0..<milliseconds {
                cluster.run(milliseconds: 1)
                client.receive(&cluster)
            }
        }
        pass(60)
        var random = SplitMix64(seed: seed)
        for request in program.requests {
            client.send(request, &cluster)
            if random.index(below: 3) == 0 { pass(UInt64(random.index(below: 12))) }
        }
        if !leaves { pass(1_000) }
        client.close(&cluster)
        pass(1_000)
        let values = cluster.values
        #expect(values.allSatisfy { $0 == values[0] }, "nodes differ: \(values)")
        return Result(answers: leaves ? [:] : client.answers, value: values[0])
    }

    @Test(arguments: OneClientConnection.Way.allCases, 0..<3)
    func `answers and effects at each of three nodes are those of one`(
        way: OneClientConnection.Way, node: Int
    ) {
        for seed in 1...UInt64(20) {
            let program = OneClientProgram(seed: seed, count: 14, isRest: way == .rest)
            // Over HTTP one request waits for the answer to the one before, and is dropped with its connection.
            let leaves = seed.isMultiple(of: 4) && way != .rest && way != .polls
            let alone = run(program, by: way, at: 0, of: one, seed: seed, leaves: leaves)
            let result = run(program, by: way, at: node, of: three, seed: seed, leaves: leaves)
            #expect(leaves || alone.answers.count >= program.requests.count)
            #expect(result == alone, "seed \(seed): \(program.requests)")
        }
    }
}
