import HTTPText
import Testing

/// What our reader accepts, other servers read alike, or refuse: no request can mean two things.
@Suite struct DifferentialTests {
    private static let connections: [[UInt8]] = {
        let seeds = RawRequest.all.map { $0.bytes + RawRequest.second }
        var mutations = Mutations(seed: 2)
        return seeds + (0..<(MutationTests.cases ?? 5000)).map { _ in mutations.next() }
    }()

    @Test(.enabled(if: Oracle.h11 != nil, "python3-h11 is not installed"))
    func `h11 reads what we accept alike, or refuses it`() throws {
        try compare(try #require(Oracle.h11))
    }

    @Test(.enabled(if: Oracle.llhttp != nil, "node-llhttp or a C compiler is not installed"))
    func `llhttp reads what we accept alike, or refuses it`() throws {
        try compare(try #require(Oracle.llhttp))
    }

    private func compare(_ oracle: Oracle) throws {
        let opinions = try oracle.opinions(on: Self.connections)
        #expect(opinions.count == Self.connections.count)
        var alike = 0
        for (bytes, theirs) in zip(Self.connections, opinions) {
            let reading = Reading([bytes])
            let ours = Opinion(reading)
            if ours.requests.count > 1, ours.requests == theirs.requests { alike += 1 }
            if !agree(ours, theirs), !isAgreedDifference(reading, bytes) {
                Issue.record("\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
        }
        // Many are mutated into something wrong; those that are not must be many, too.
        #expect(alike > Self.connections.count / 10)
    }

    /// Whether two read the same requests, of which one may stop earlier, if it reads nothing more then.
    private func agree(_ one: Opinion, _ other: Opinion) -> Bool {
        let common = min(one.requests.count, other.requests.count)
        return one.requests.prefix(common) == other.requests.prefix(common)
            && (one.requests.count == common || other.isOver)
            && (other.requests.count == common || one.isOver)
    }

    /// llhttp 8.1 ends a head at an empty line of CR and any byte; we wait for that line's end, and then refuse it.
    private func isAgreedDifference(_ reading: Reading, _ bytes: [UInt8]) -> Bool {
        reading.phase == .head && Reading([bytes + [0x0D, 0x0A]]).failure != nil
    }
}

extension Opinion {
    /// What our reader makes of the bytes of a connection.
    fileprivate init(_ reading: Reading) {
        requests = reading.wholeRequests
        isOver = reading.phase == .close
    }
}
