import DataTree
import EventLoop
import GatewayCore
import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterNode

/// The order in which a gateway and a replica learn of each other, without sockets.
@Suite(.timeLimit(.minutes(3))) final class `A gateway's driver` {
    private let loop: Loop
    private let driver: GatewayDriver
    private let seen = Seen()

    /// What the replica and the port were told.
    private final class Seen {
        var inputs: [Input] = []
        var sent: [SessionID: Int] = [:]
        var bytes: [UInt8] = []
        /// How many times something was sent, in each turn of the loop.
        var sendsPerTurn: [Int] = []
        var sends = 0
    }

    init() throws {
        loop = try Loop()
        driver = GatewayDriver(GatewayConfiguration(), on: loop)
        driver.receive = { [seen] in seen.inputs.append($0) }
        driver.perform = { [seen, unowned driver] output in
            switch output {
            case .send(let session, let bytes):
                seen.sent[session, default: 0] += bytes.count
                seen.bytes = bytes
                seen.sends += 1
            case .reportWritable(let session): driver.reportWritable(session)
            default: break
            }
        }
        loop.atEndOfTurn = { [seen, unowned driver] in
            driver.endTurn()
            seen.sendsPerTurn.append(seen.sends)
            seen.sends = 0
        }
        driver.step(.became(.serving))
    }

    private func run() throws {
        let end = try loop.timer(after: .milliseconds(20)) { [loop] in loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    private func connect(_ number: UInt64, _ request: String) -> SessionID {
        let session = SessionID(number: number)
        driver.step(.opened(session, from: RemoteAddress(host: "127.0.0.1", isLoopback: true)))
        driver.step(.received(session, Array(request.utf8)))
        return session
    }

    private func get(_ number: UInt64) -> SessionID {
        connect(number, "GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
    }

    /// A conditional write, which a refusal makes read what is there.
    private func put(_ number: UInt64) -> SessionID {
        connect(
            number,
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nIf-Match: null_etag\r\n"
                + "Content-Length: 1\r\n\r\n5")
    }

    private func refuse(_ session: SessionID) {
        let refusal = NodeMessage.error(id: 1, code: .changed, problem: "", fix: "")
        driver.answer([SessionAnswer(refusal)], to: session)
    }

    /// The sessions that the replica was asked by, in order.
    private var asking: [UInt64] {
        seen.inputs.compactMap { input in
            if case .requestedMessages(_, let session) = input { session.number } else { nil }
        }
    }

    @Test
    func `what follows from an answer is asked once, in the next turn, and nothing overtakes it`()
        throws
    {
        let session = put(1)
        refuse(session)
        #expect(asking == [1])
        _ = get(2)
        #expect(asking == [1])
        try run()
        #expect(asking == [1, 1, 2])
        _ = get(3)
        #expect(asking == [1, 1, 2, 3])
        refuse(put(4))
        try run()
        #expect(asking == [1, 1, 2, 3, 4, 4])
    }

    @Test func `a driver that has stopped asks nothing more`() throws {
        refuse(put(1))
        driver.stop()
        _ = get(2)
        try run()
        #expect(asking == [1])
    }

    @Test func `large answers leave some at a time, each as fast as the others`() throws {
        let sessions = (1...40).map { get($0) }
        let value = Value.string(String(repeating: "x", count: 500_000))
        for session in sessions {
            driver.answer([SessionAnswer(.value(id: 1, value: value))], to: session)
        }
        #expect(sessions.allSatisfy { seen.sent[$0]! < 100_000 })
        seen.sends = 0
        seen.sendsPerTurn = []
        for _ in 0..<100 where seen.sent.values.contains(where: { $0 < 500_000 }) {
            try run()
        }
        #expect(Set(seen.sent.values).count == 1)
        #expect(seen.sent[sessions[0]]! > 500_000)
        // The last part comes with the end of its chunks.
        #expect(seen.sendsPerTurn.allSatisfy { $0 <= 16 })
        #expect(seen.sendsPerTurn.reduce(0, +) < 40 * 10)
    }

    @Test func `no two drivers give the same names to sessions`() throws {
        let request =
            "GET /.lp?start=t&v=5 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        _ = connect(1, request)
        let other = try `A gateway's driver`()
        _ = other.connect(1, request)
        #expect(!seen.bytes.isEmpty && seen.bytes.count == other.seen.bytes.count)
        #expect(seen.bytes != other.seen.bytes)
    }
}
