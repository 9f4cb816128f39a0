import SyncProtocol
import Testing

@testable import ClusterSimulator

/// Answers that nodes send twice.
@Suite struct RequestsAreAnsweredOnceTests {
    private var watch = AnswerWatch(Scenario(name: "answers"), seed: 1)

    @Test mutating func `one request on two connections has an answer on each`() {
        var isFirst: [Bool] = []
        for (id, connection) in [(1, 0), (2, 0), (1, 1), (1, 0)] as [(UInt64, Int)] {
            isFirst.append(watch.record(id, on: connection))
        }
        #expect(isFirst == [true, true, true, false])
        #expect(watch.count == 4)
    }

    @Test mutating func `the second answer to a request is a failure`() throws {
        let scenario = try Scenario(
            parsing: "workload operations=5 set=1\nuntil 1s\ncheck replicas-equal", name: "once")
        var run = SimulatedRun(scenario, seed: 1)
        run.begin()
        while run.connections.isEmpty, run.step() != nil {}
        let news: [NodeMessage] = [.ok(id: 0), .change(listen: 7, writes: [])]
        for message in news + news + [.ok(id: 7)] {
            watch.replied(message.frame, on: 0, in: &run)
        }
        #expect(watch.failure == nil && watch.count == 1)
        watch.replied(
            NodeMessage.error(id: 7, code: .invalid, problem: "p", fix: "f").frame, on: 0, in: &run)
        #expect(watch.failure?.contains("answers request 7 of c1 a second time") == true)
    }
}
