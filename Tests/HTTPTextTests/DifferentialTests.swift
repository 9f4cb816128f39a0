import HTTPText
import Testing

/// Other servers read every request that our reader accepts alike, or refuse it: no request can mean two things.
///
/// The other direction is our choice. Both accept, and we refuse: an empty line that ends with LF alone, versions such as HTTP/2.0,
/// targets that are neither path nor `http` URI, fragments, folded lines, hosts that are no `name:port`, chunks in HTTP/1.0, sizes
/// of nine digits, unknown expectations. h11 alone accepts lines that end with LF, two equal lengths, and a length beside chunks;
/// llhttp alone accepts blanks before a colon and around a target, requests with no or several hosts, and CR with any byte behind. After HTTP/1.0, h11 always closes.
@Suite struct DifferentialTests {
    private static let connections: [[UInt8]] = {
        let seeds = RawRequest.all.map { $0.bytes + RawRequest.second }
        var mutations = Mutations(seed: 2)
        return seeds + (0..<(MutationTests.cases ?? 5000)).map { _ in mutations.next() }
    }()

    @Test(.enabled(if: Oracle.h11 != nil, "python3-h11 is not installed"))
    func `h11 reads accepted requests in the same way, or refuses them`() throws {
        try compare(try #require(Oracle.h11))
    }

    @Test(.enabled(if: Oracle.llhttp != nil, "node-llhttp or a C compiler is not installed"))
    func `llhttp reads accepted requests in the same way, or refuses them`() throws {
        try compare(try #require(Oracle.llhttp))
    }

    @Test(.enabled(if: Oracle.h11 != nil, "python3-h11 is not installed"))
    func `requests that only h11 refuses are listed`() throws {
        #expect(
            try refused(by: try #require(Oracle.h11)) == [
                // An empty line before a request; UTF-8, which people type after curl.
                "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", request("GET /zoë.json HTTP/1.1"),
            ])
    }

    @Test(.enabled(if: Oracle.llhttp != nil, "node-llhttp or a C compiler is not installed"))
    func `requests that only llhttp refuses are listed`() throws {
        let chunked = request("PUT /a HTTP/1.1", "Transfer-Encoding: chunked")
        #expect(
            try refused(by: try #require(Oracle.llhttp)) == [
                // Methods that llhttp does not know; a tab behind a length; an extension without a name.
                "FROB!% / HTTP/1.1\r\nHost: x\r\n\r\n",
                String(repeating: "A", count: 32) + " / HTTP/1.1\r\nHost: x\r\n\r\n",
                request("PUT /a HTTP/1.1", "Content-Length: 0004 \t") + "body",
                chunked + "2;\r\n\r\n\r\n0\r\n\r\n",
            ])
    }

    /// The raw requests that we accept and a parser does not.
    private func refused(by oracle: Oracle) throws -> [String] {
        let accepted = RawRequest.all.filter { $0.failure == nil }
        let opinions = try oracle.opinions(on: accepted.map(\.bytes))
        return zip(accepted, opinions).filter { $1.requests.isEmpty }
            .map { String(decoding: $0.0.bytes, as: UTF8.self) }
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
    /// The requests that our reader finds in the bytes of a connection.
    fileprivate init(_ reading: Reading) {
        requests = reading.wholeRequests
        isOver = reading.phase == .close
    }
}
