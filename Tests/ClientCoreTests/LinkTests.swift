import SyncProtocol
import Testing

@testable import ClientCore

@Suite struct LinkTests {
    @Test func `a silent node is pinged while something is awaited, and then left`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        #expect(rig.turn(after: 3900) == [])
        _ = rig.turn(put(1))
        let pinged = rig.turn(after: 1000)
        #expect(Rig.messages(pinged).count == 1)
        #expect(rig.turn(after: 3000) == [])
        #expect(rig.turn(after: 1) == [.disconnected])
        #expect(rig.turn().first == .connect("tcp://b:1"))
    }

    @Test func `any sign of life keeps a connection`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(put(1))
        for _ in 0..<20 {
            let outputs = rig.turn(after: 900, .received(NodeMessage.ok(id: 999).frame))
            #expect(!outputs.contains(.disconnected))
        }
    }

    @Test func `a client pings by its own clock, independently of messages`() {
        var rig = Rig()
        rig.open()
        var pings: [UInt64] = []
        // The node says something each second, as it does to a client with on-disconnect writes.
        for _ in 0..<60 {
            let outputs = rig.turn(after: 1_000, .received(NodeMessage.ok(id: 0).frame))
            for case .ping in Rig.messages(outputs).map(\.request) { pings.append(rig.now) }
        }
        #expect(pings == Array(stride(from: 4_000, through: 60_000, by: 4_000)))
    }

    @Test func `a client that only listens pings half as often as one that waits for an answer`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        _ = rig.turn(listened(1, "a"))
        #expect(rig.turn(after: 999) == [])
        #expect(Rig.messages(rig.turn(after: 1)).count == 1, "the listen is not answered")
        _ = rig.turn(.received(NodeMessage.change(listen: 2, writes: []).frame))
        #expect(rig.turn(after: 1_999) == [])
        #expect(Rig.messages(rig.turn(after: 1)).count == 1, "nothing has changed for two seconds")
        #expect(rig.turn(after: 3_000) == [])
        #expect(rig.turn(after: 1) == [.disconnected])
    }

    @Test func `a listen that has ended or moved is no longer awaited`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        _ = rig.turn(listened(1, "a"))
        _ = rig.turn(.unlistened(ListenID(number: 1)))
        _ = rig.turn(listened(2, "b"))
        _ = rig.turn(.received(NodeMessage.change(listen: 4, writes: []).frame))
        #expect(rig.turn(after: 1_999) == [])
        _ = rig.turn(after: 1)
        _ = rig.turn(.connectionLost)
        _ = rig.turn()
        _ = rig.turn(Rig.ready(6))
        #expect(rig.turn(after: 999) == [])
        #expect(Rig.messages(rig.turn(after: 1)).count == 1, "the next node has not answered it")
    }

    @Test func `a client that reads nothing still pings and keeps its requests`() {
        var rig = Rig()
        rig.open()
        _ = rig.turn(put(1, patience: .limited(milliseconds: 2_000)))
        var outputs: [Output] = []
        for _ in 0..<30 {
            rig.now += 1_000
            outputs += rig.client.step(
                .turnBegan(
                    elapsedMilliseconds: rig.now, wallMilliseconds: rig.now, isReading: false))
            outputs += rig.client.step(.turnEnded)
        }
        #expect(Rig.messages(outputs).count == 7)
        #expect(!outputs.contains(.disconnected) && Rig.failures(outputs).isEmpty)
        #expect(Rig.failures(rig.turn()).map(\.code) == [.timedOut])
    }

    @Test func `tries in vain go round the nodes, with longer rests between rounds`() {
        var link = Link(Configuration(nodes: ["a", "b"], writer: WriterID(bits: 1)))
        var attempts: [(UInt64, String)] = []
        for now in UInt64(0)..<4000 {
            if case .connect(let node) = link.tick(at: now, awaiting: .answers) {
                attempts.append((now, node))
                link.lose(at: now)
            }
        }
        #expect(attempts.map(\.1) == ["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"])
        let rounds = stride(from: 0, to: attempts.count, by: 2).map { attempts[$0].0 }
        let rests = zip(rounds, rounds.dropFirst()).map { $1 - $0 }
        #expect(rests == [101, 201, 401, 801, 1601])
    }

    @Test func `a node that does not answer a new client has only a head start, and a second try`()
    {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        _ = rig.turn(put(1, patience: .brief(milliseconds: 9_000)))
        for (node, milliseconds) in [("b", 250), ("a", 250), ("b", 1_000)] as [(String, UInt64)] {
            #expect(rig.turn(after: milliseconds) == [])
            #expect(rig.turn(after: 1) == [])
            #expect(rig.turn().first == .connect("tcp://\(node):1"))
        }
        #expect(rig.turn(after: 1_000) == [])
        #expect(
            Rig.failures(rig.turn(after: 1)).map(\.code) == [.unreachable],
            "each was given its time")
    }

    @Test func `once a node has answered, a try lasts a second`() {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"])
        rig.open()
        #expect(rig.turn(.connectionLost) == [.disconnected])
        #expect(rig.turn().first == .connect("tcp://b:1"))
        #expect(rig.turn(after: 1_000) == [])
        #expect(rig.turn(after: 1) == [])
        #expect(rig.turn().first == .connect("tcp://a:1"))
    }

    @Test func `a single node has all the time that there is`() {
        var rig = Rig()
        _ = rig.turn()
        #expect(rig.turn(after: 1_000) == [])
        #expect(rig.turn(after: 1) == [])
        #expect(rig.turn(after: 100).first == .connect("tcp://a:1"))
    }

    @Test func `a round in which nodes were left early is followed by the next at once`() {
        var link = Link(Configuration(nodes: ["a", "b"], writer: WriterID(bits: 1)))
        var attempts: [UInt64] = []
        for now in UInt64(0)..<4_000 {
            switch link.tick(at: now, awaiting: .answers) {
            case .connect: attempts.append(now)
            case .giveUp: link.lose(at: now)
            default: break
            }
        }
        #expect(attempts == [0, 252, 504, 1_506, 2_607, 3_609])
    }
}
