import DataTree
import GatewayCore
import JSONText
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// What answers to reads the simulator permits.
@Suite struct RestReadTests {
    private let reader = RealtimeSession.makeReader()
    private let path = Path([Key(unchecked: "data")])

    private func tree(_ text: String) throws -> Value { try reader.parse("{\"data\":\(text)}") }

    /// A plain read.
    private var read: RestRead {
        var random = SplitMix64(seed: 0)
        while true {
            let read = RestRead(at: path, knowing: [:], &random)
            if read.description == "GET /data.json HTTP/1.1", !read.wantsTag { return read }
        }
    }

    private func answer(_ text: String, status: Int = 200) -> RestAnswer {
        RestAnswer(head: .init(status: status, fields: [:]), body: Array(text.utf8))
    }

    @Test func `an answer is right if one of the trees gives it`() throws {
        let trees = [try tree("1"), try tree("2")]
        #expect(read.problem(with: answer("1"), showing: trees, by: reader) == nil)
        #expect(read.problem(with: answer("2"), showing: trees, by: reader) == nil)
        #expect(read.problem(with: answer("3"), showing: trees, by: reader) != nil)
        #expect(read.problem(with: answer("1", status: 403), showing: trees, by: reader) != nil)
    }

    @Test func `each kind of a read says so in its request`() {
        var random = SplitMix64(seed: 1)
        let texts = (0..<500).map { _ in
            String(
                decoding: RestRead(at: path, knowing: [path: "x"], &random).bytes(to: "n1"),
                as: UTF8.self)
        }
        for word in [
            "HEAD ", "shallow=true", "print=pretty", "print=silent", "format=export", "callback=f",
            "If-None-Match: x", "X-Firebase-ETag: true", "Hearth-Stable: ", "orderBy=",
            "limitToLast=",
            "startAfter=", "endBefore=", "equalTo=",
        ] {
            #expect(texts.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test func `no two requests that have to be refused are the same`() {
        let bytes = MalformedRequest.all.map { $0.bytes(to: "n1") }
        #expect(
            Set(bytes).count == bytes.count
                && Set(MalformedRequest.all.map(\.name)).count == bytes.count)
    }
}
