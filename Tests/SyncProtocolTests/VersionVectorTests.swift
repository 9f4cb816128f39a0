import Testing

@testable import SyncProtocol

@Suite struct VersionVectorTests {
    /// A vector of these origins.
    private func vector(_ entries: KeyValuePairs<UInt64, UInt64>) -> VersionVector {
        var vector = VersionVector()
        for (origin, sequence) in entries { vector[WriterID(bits: origin)] = sequence }
        return vector
    }

    @Test func `folding changes nothing that a vector says`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let plain = random.vectors(3)
            let atRest = plain[0].folding { origin, sequence in
                plain.allSatisfy { $0[origin] == sequence }
            }
            var folded = plain
            if let atRest { for index in folded.indices { folded[index].fold(atRest) } }
            for (a, x) in zip(plain, folded) {
                #expect(
                    a == x && x == a && a.total == x.total && a.entries.count == x.entries.count)
                #expect(a.entries.elementsEqual(x.entries, by: ==))
                for (b, y) in zip(plain, folded) {
                    #expect(a.covers(b) == x.covers(y) && a.covers(b) == x.covers(b))
                    #expect(a.advanced(beyond: b) == x.advanced(beyond: y))
                    var both = b
                    both.raise(to: a)
                    #expect(a.excess(over: b) == both.total - b.total)
                    #expect(a.excess(over: b) == x.excess(over: y))
                    var (raised, alsoRaised) = (a, x)
                    raised.raise(to: b)
                    alsoRaised.raise(to: y)
                    #expect(raised == alsoRaised)
                }
            }
        }
    }

    @Test func `a vector that holds less of an origin does not fold it`() throws {
        let atRest = try #require(vector([1: 5, 2: 7]).folding { _, _ in true })
        var less = vector([1: 5, 2: 6, 3: 1])
        less.fold(atRest)
        #expect(less.folded == nil && less[WriterID(bits: 2)] == 6)
    }

    @Test func `more of a folded origin is more than was folded`() throws {
        var vector = vector([1: 5, 2: 7])
        let before = vector
        vector.fold(try #require(vector.folding { _, _ in true }))
        #expect(vector.unfolded.isEmpty)
        vector[WriterID(bits: 1)] = 6
        #expect(vector.covers(before) && !before.covers(vector) && vector.total == 13)
        #expect(vector.advanced(beyond: before) == self.vector([1: 6]))
    }

    @Test func `equal origins have equal digests, and others have others`() {
        let digest = { (vector: VersionVector) in vector.folding { _, _ in true }?.digest }
        #expect(digest(vector([1: 5, 2: 7])) == digest(vector([2: 7, 1: 5])))
        for other in [
            vector([1: 5]), vector([1: 5, 2: 8]), vector([1: 7, 2: 5]), vector([1: 5, 3: 7]),
        ] {
            #expect(digest(vector([1: 5, 2: 7])) != digest(other))
        }
    }

    @Test func `a heartbeat leaves out what all have folded`() throws {
        var vector = VersionVector()
        for number in 1...10_000 { vector[WriterID(bits: UInt64(number) << 40)] = 1 }
        let atRest = try #require(vector.folding { _, _ in true })
        vector.fold(atRest)
        vector[WriterID(bits: 9)] = 3
        let heartbeat = Heartbeat(
            cluster: "c", member: "n1", writer: WriterID(bits: 9), vector: vector, time: .zero,
            closedTimestamp: .zero, writers: [WriterID(bits: 9)], wallMilliseconds: 0,
            folding: .init(atRest.digest, areLeftOut: true))
        let frame = PeerMessage.heartbeat(heartbeat).frame
        #expect(frame.count < 150)
        let messages = try FrameReader<PeerMessage>.messages(in: frame)
        guard case .message(.heartbeat(let read))? = messages.first else {
            Issue.record("\(messages)")
            return
        }
        #expect(read.vector.entries.count == 1 && read.vector.adding(atRest) == vector)
    }

    /// A `hello` of the map with these entries, each a small number.
    private func hello(_ entries: [(UInt8, UInt8)]) -> [UInt8] {
        [0x01, 0x93, 0xA5] + Array("hello".utf8) + [0x01, 0x80 | UInt8(entries.count)]
            + entries.flatMap { [$0.0, $0.1] }
    }

    @Test func `a map of writers is read in any order`() throws {
        let seen = vector([2: 6, 5: 1, 9: 7])
        for entries in [[(2, 6), (5, 1), (9, 7)], [(9, 7), (5, 1), (2, 6)]] as [[(UInt8, UInt8)]] {
            let read = try FrameReader<ClientMessage>.messages(in: hello(entries))
            #expect(read == [.message(.hello(id: 1, seen: seen))])
        }
    }

    @Test func `a map that has a writer twice is refused`() throws {
        for entries in [[(5, 1), (5, 1)], [(5, 1), (2, 6), (5, 2)]] as [[(UInt8, UInt8)]] {
            let read = try FrameReader<ClientMessage>.messages(in: hello(entries))
            guard case .refused(1, let error)? = read.first else {
                Issue.record("\(read)")
                continue
            }
            #expect(error.problem == "expected each writer once at byte 9, found 5 twice")
        }
    }
}

extension SystemRandomNumberGenerator {
    /// Vectors of few origins and low sequences, so that many are equal.
    fileprivate mutating func vectors(_ count: Int) -> [VersionVector] {
        (0..<count).map { _ in
            var vector = VersionVector()
            for origin in 1...UInt64(12) where Int.random(in: 0..<4, using: &self) > 0 {
                vector[WriterID(bits: origin)] = UInt64.random(in: 1...2, using: &self)
            }
            return vector
        }
    }
}
