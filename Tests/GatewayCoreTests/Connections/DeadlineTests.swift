import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// When connections that take too long end.
@Suite struct DeadlineTests {
    private var gateway: Gateway
    private var now: UInt64 = 0

    init() {
        gateway = Gateway(GatewayConfiguration())
        _ = gateway.step(.became(.serving))
    }

    /// A turn in which something may happen; returns what the gateway does.
    private mutating func turn(
        after milliseconds: UInt64, _ inputs: [GatewayInput] = []
    ) -> [GatewayOutput] {
        now += milliseconds
        var outputs = gateway.step(
            .turnBegan(Moment(wallMilliseconds: now, elapsedMilliseconds: now)))
        for input in inputs { outputs += gateway.step(input) }
        return outputs + gateway.step(.turnEnded)
    }

    private static func opened(_ number: UInt64) -> GatewayInput {
        .opened(SessionID(number: number), from: RemoteAddress(host: "::1", isLoopback: true))
    }

    @Test mutating func `an idle connection ends at the millisecond that its deadline names`() {
        let idle = DeadlinePolicy().idleMilliseconds
        for (wait, isDue) in [(idle - 1, false), (idle, true)] {
            _ = turn(after: 10_000, [Self.opened(wait)])
            let outputs = turn(after: wait)
            #expect(outputs == (isDue ? [.close(SessionID(number: wait))] : []))
            _ = turn(after: 0, [.closed(SessionID(number: wait))])
        }
    }

    @Test mutating func `connections that are due at once end in the order of their numbers`() {
        _ = turn(after: 1, (1...50).reversed().map { Self.opened($0) })
        let ended = turn(after: 100_000).compactMap { output -> UInt64? in
            if case .close(let session) = output { session.number } else { nil }
        }
        #expect(ended == Array(1...50))
    }

    @Test mutating func `small chunks of a body do not prolong its time for ever`() {
        let session = SessionID(number: 1)
        let head =
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        _ = turn(after: 1, [Self.opened(1), .received(session, Array(head.utf8))])
        var outputs: [GatewayOutput] = []
        var waited: UInt64 = 0
        while !outputs.contains(.close(session)), waited < 600_000 {
            outputs = turn(after: 1_000, [.received(session, Array("1\r\n5\r\n".utf8))])
            waited += 1_000
        }
        let allowed = DeadlinePolicy().bodyMilliseconds
        #expect((allowed...allowed + 2_000).contains(waited))
    }
}
