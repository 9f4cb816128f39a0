import EventLoop
import Glibc
import Sockets
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A stream` {
    @Test func `carries bytes both ways, and ends when the other end closes`() throws {
        let pair = try Pair()
        var atServer: [UInt8] = []
        pair.server.open { event in
            guard case .received(let bytes) = event else { return }
            atServer += bytes
            pair.server.append([4, 5])
            pair.server.flush()
        }
        var atClient: [UInt8] = []
        var hasEnded = false
        pair.client.open { event in
            switch event {
            case .received(let bytes):
                atClient += bytes
                pair.server.close()
            case .drained: break
            case .ended:
                hasEnded = true
                pair.loop.stop()
            }
        }
        pair.client.append([1, 2, 3])
        pair.client.flush()
        pair.loop.run()
        #expect(atServer == [1, 2, 3])
        #expect(atClient == [4, 5])
        #expect(hasEnded)
    }

    @Test func `keeps what the system has no room for, in order, and says when it is sent`() throws
    {
        let pair = try Pair()
        let total = 24 << 20
        var drains = 0
        pair.server.open { event in if case .drained = event { drains += 1 } }
        var sent = 0
        while sent < total {
            // Small pieces, which are joined, and large ones, which are not.
            let size = sent % 3 == 0 ? 100_000 : 1_001
            pair.server.append((sent..<sent + size).map { UInt8(truncatingIfNeeded: $0 >> 3) })
            sent += size
        }
        pair.server.flush()
        #expect(pair.server.waitingBytes > 1 << 20)
        var received = 0
        var isRight = true
        pair.client.open { event in
            guard case .received(let bytes) = event else { return }
            #expect(bytes.count <= Stream.bytesPerTurn)
            for byte in bytes {
                isRight = isRight && byte == UInt8(truncatingIfNeeded: received >> 3)
                received += 1
            }
            if received == sent { pair.loop.stop() }
        }
        pair.loop.run()
        #expect(isRight)
        #expect(drains == 1)
        #expect(pair.server.waitingBytes == 0)
    }

    @Test func `says that all is sent only where something has waited`() throws {
        let pair = try Pair()
        var drains = 0
        pair.server.open { event in if case .drained = event { drains += 1 } }
        pair.client.open { _ in }
        pair.server.append([UInt8](repeating: 7, count: 24 << 20))
        pair.server.flush()
        let small = try pair.loop.timer(every: .milliseconds(5)) {
            guard pair.server.waitingBytes == 0 else { return }
            #expect(drains == 1)
            pair.server.append([1])
            pair.server.flush()
            pair.loop.stop()
        }
        for _ in 0..<3 { pair.loop.run() }
        #expect(drains == 1)
        withExtendedLifetime(small) {}
    }

    @Test func `reads no more in a turn than its owner allows for all`() throws {
        let pair = try Pair()
        let limit = ReadLimit(bytesPerTurn: 1_000)
        pair.server.readLimit = limit
        var received = 0
        pair.server.open { event in
            if case .received(let bytes) = event { received += bytes.count }
        }
        pair.client.append([UInt8](repeating: 7, count: 400_000))
        pair.client.flush()
        var turns: [Int] = []
        let end = try pair.loop.timer(every: .milliseconds(20)) {
            turns.append(received)
            limit.endTurn()
            if turns.count == 3 { pair.loop.stop() }
        }
        pair.loop.atEndOfTurn = { limit.readQueued() }
        pair.loop.run()
        #expect((1...Stream.bytesPerTurn).contains(turns[0]))
        #expect(turns[1] > turns[0] && turns[1] <= 2 * Stream.bytesPerTurn)
        withExtendedLifetime(end) {}
    }

    @Test func `comes first in the next turn if others have used up this one`() throws {
        let loop = try Loop()
        let limit = ReadLimit(bytesPerTurn: 1 << 20)
        var order: [Int] = []
        let pairs = try (0..<4).map { number in
            let pair = try Pair(on: loop)
            pair.server.readLimit = limit
            pair.server.open { if case .received = $0 { order.append(number) } }
            return pair
        }
        // The first three have always more to read than a turn reads.
        for pair in pairs.dropLast() {
            pair.client.append([UInt8](repeating: 7, count: 400_000))
            pair.client.flush()
        }
        var turns = 0
        loop.atEndOfTurn = {
            turns += 1
            var reads = 0
            limit.readQueued { _ in
                reads += 1
                return reads < 2
            }
            limit.endTurn()
            if turns == 4 {
                order = []
                pairs[3].client.append([1])
                pairs[3].client.flush()
            }
            if turns == 12 { loop.stop() }
        }
        loop.run()
        let first = try #require(order.firstIndex(of: 3))
        #expect(first <= 2, "\(order)")
        // The others take turns.
        let rest = order.filter { $0 != 3 }
        for (one, next) in zip(rest, rest.dropFirst()) { #expect(one != next, "\(order)") }
    }

    @Test func `reads nothing while it is paused`() throws {
        let pair = try Pair()
        var received: [UInt8] = []
        pair.server.open { event in
            guard case .received(let bytes) = event else { return }
            received += bytes
            pair.loop.stop()
        }
        pair.server.isPaused = true
        pair.client.append([1])
        pair.client.flush()
        let later = try pair.loop.timer(after: .milliseconds(30)) {
            #expect(received.isEmpty)
            pair.server.isPaused = false
        }
        pair.loop.run()
        #expect(received == [1])
        withExtendedLifetime(later) {}
    }

    @Test func `a finished stream sends all, and reads until the other end closes`() throws {
        let pair = try Pair()
        var events: [String] = []
        pair.server.open { event in
            switch event {
            case .received(let bytes): events.append("received \(bytes.count)")
            case .drained: break
            case .ended:
                events.append("ended")
                pair.loop.stop()
            }
        }
        var atClient = 0
        pair.client.open { event in
            switch event {
            case .received(let bytes): atClient += bytes.count
            case .drained: break
            case .ended: break
            }
            guard atClient == 1_000 else { return }
            pair.client.append([1])
            pair.client.finish()
        }
        pair.server.append([UInt8](repeating: 7, count: 1_000))
        pair.server.finish()
        pair.loop.run()
        #expect(events == ["received 1", "ended"])
    }

    @Test func `a closed stream says nothing more`() throws {
        let pair = try Pair()
        pair.server.open { _ in Issue.record("it spoke") }
        pair.client.append([1])
        pair.client.flush()
        pair.server.close()
        pair.server.append([1])
        pair.server.flush()
        let later = try pair.loop.timer(after: .milliseconds(20)) { pair.loop.stop() }
        pair.loop.run()
        #expect(pair.server.waitingBytes == 0)
        withExtendedLifetime(later) {}
    }
}

/// Two ends of a connection over the loopback.
private final class Pair {
    let loop: Loop
    let client: Stream
    let server: Stream

    init(on loop: Loop? = nil) throws {
        let loop = try loop ?? Loop()
        var ends: [Stream] = []
        var accepted: Stream?
        let listener = try FreePort.listener(on: loop) {
            accepted = $0
            if !ends.isEmpty { loop.stop() }
        }
        let dial = try Dial(to: listener.address, on: loop) { outcome in
            if case .success(let stream) = outcome { ends.append(stream) }
            if accepted != nil { loop.stop() }
        }
        loop.run()
        withExtendedLifetime((listener, dial)) {}
        self.loop = loop
        client = try #require(ends.first)
        server = try #require(accepted)
    }
}

/// A listener at a port that nobody else has.
struct FreePort {
    let address: HTTPAddress
    let listener: Listener

    static func listener(
        at host: String = "127.0.0.1", on loop: Loop, accept: @escaping (Stream) -> Void
    ) throws -> FreePort {
        for _ in 0..<100 {
            let port = Int.random(in: 21_340...21_399)
            let address = try #require(HTTPAddress("http://\(host):\(port)"))
            if let listener = try? Listener(at: address, on: loop, accept: accept) {
                return FreePort(address: address, listener: listener)
            }
        }
        throw NoPort()
    }

    struct NoPort: Error {}
}
