import DataTree
import GatewayCore
import JSONText
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// The answers to reads that the simulator permits.
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

    @Test func `an array is one where more than half of its places are taken`() throws {
        for (tree, text) in [
            (#"{"0": 1, "2": 2}"#, "[1,null,2]"), (#"{"2": 1}"#, #"{"2":1}"#),
            (#"{"0": 1, "01": 2}"#, #"{"0":1,"01":2}"#), (#"{"x": "]"}"#, #"{"x":"]"}"#),
        ] {
            let value = try reader.parse(tree)
            #expect(
                RestText.brackets(of: value) == RestText.brackets(in: text[...]), "\(tree)")
        }
        let wrong = answer(#"[null,null,1]"#)
        #expect(read.problem(with: wrong, showing: [try tree(#"{"2": 1}"#)], by: reader) != nil)
    }

    @Test func `a selection shows what its parameters say`() throws {
        let value = try reader.parse(#"{"a": 1, "b": 2, "c": 2, "d": 3}"#)
        var random = SplitMix64(seed: 5)
        var seen: Set<String> = []
        for _ in 0..<3_000 {
            let selection = RestSelection(&random)
            let parameters = selection.parameters.map { "\($0)=\($1)" }.joined(separator: "&")
            let expected: [String: String] = [
                #"orderBy="$value"&startAt=2"#: "bcd", #"orderBy="$value"&startAfter=2"#: "d",
                #"orderBy="$value"&endAt=2"#: "abc", #"orderBy="$value"&endBefore=2"#: "a",
                #"orderBy="$value"&equalTo=2"#: "bc", #"orderBy="$key"&endBefore="b""#: "a",
                #"orderBy="$value"&endAt=2&limitToLast=1"#: "c",
            ]
            guard let keys = expected[parameters] else { continue }
            seen.insert(parameters)
            #expect(
                selection.shown(of: value).children.map(\.key.text).joined() == keys,
                "\(parameters)")
        }
        #expect(seen.count > 3)
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
