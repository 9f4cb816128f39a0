import HTTPText
import Testing

@Suite struct DeadlinePolicyTests {
    @Test(
        arguments: [
            (.handshake, 11_000), (.idle, 61_000), (.head, 11_000), (.answer, nil),
            (.close, 11_000),
            (.body(bytes: 0), 11_000), (.body(bytes: 16384), 12_000), (.body(bytes: 8192), 11_500),
            (.body(bytes: 32 << 20), 2_059_000),
        ] as [(ConnectionPhase, UInt64?)])
    func `each phase has its time`(phase: ConnectionPhase, deadline: UInt64?) {
        #expect(DeadlinePolicy().deadlineMilliseconds(of: phase, since: 1000) == deadline)
    }

    @Test func `a byte now and then prolongs nothing`() {
        var reader = RequestReader()
        let policy = DeadlinePolicy()
        var deadlines: Set<UInt64?> = []
        for byte in request("PUT / HTTP/1.1", "Content-Length: 9").utf8.dropLast() {
            reader.receive([byte])
            #expect(reader.next() == nil)
            deadlines.insert(policy.deadlineMilliseconds(of: reader.phase, since: 0))
        }
        #expect(deadlines == [10_000])
    }
}
