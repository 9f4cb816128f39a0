import DataTree
import QueryEngine
import Testing

@testable import SyncProtocol

@Suite struct OptionsTests {
    @Test func `a query is a map of the members that Firebase's clients send`() throws {
        let query = try Query().ordered(byChild: "points").starting(at: 3).limited(toLast: 10)
        var expected = head(of: "get", elements: 4)
        expected += [0x81, 0xA5] + "query".utf8
        expected += [0x85, 0xA1] + "i".utf8 + [0xA6] + "points".utf8
        expected += [0xA2] + "sp".utf8 + [3]
        expected += [0xA3] + "sin".utf8 + [0xC3]
        expected += [0xA1] + "l".utf8 + [10]
        expected += [0xA2] + "vf".utf8 + [0xA1] + "r".utf8
        #expect(ClientMessage.get(id: 7, path: try Path("a"), query: query).frame == expected)
    }

    @Test func `an empty map of options is the same as none`() throws {
        let frame = head(of: "get", elements: 4) + [0x80]
        #expect(try received(frame) == .message(.get(id: 7, path: try Path("a"))))
    }

    @Test(
        arguments: [
            (["limit": 3], "unknown option \"limit\" at byte 10", "\"get\" takes query"),
            (["if": ""], "unknown option \"if\" at byte 10", "\"get\" takes query"),
            (
                ["query": ["x": 1]], "unknown member \"x\" of a query at byte 17",
                "a query has i, sp"
            ),
            (["query": 5], "expected the members of a query (a map) at byte 16", "README"),
            (["skip": -1], "expected a number of children", "README"),
            (["query": ["l": -1]], "expected a limit", "README"),
            (["query": ["sn": "a"]], "sn without sp", "documentation"),
        ] as [(Value, String, String)])
    func `what is no option is refused, and what is known is named`(
        options: Value, problem: String, fix: String
    ) throws {
        let frame = head(of: "get", elements: 4) + encoded(options)
        guard case .refused(id: 7, let error)? = try received(frame) else {
            Issue.record("expected a refusal")
            return
        }
        #expect(error.problem.contains(problem), "\(error)")
        #expect(error.fix.contains(fix), "\(error)")
    }

    @Test func `a time without a stamp, or with a condition, is refused`() throws {
        let path = try Path("a")
        let stamp = Stamp(time: HybridTime(milliseconds: 7), writer: WriterID(bits: 7))
        let condition = Condition(DataHash(of: 1))
        for message in [
            ClientMessage.put(id: 7, path: path, value: 1, now: 5),
            .put(id: 7, path: path, value: 1, condition: condition, stamp: stamp, now: 5),
            .merge(id: 7, path: path, writes: [Write(path: path, value: 1)], now: 5),
        ] {
            guard case .refused(id: 7, let error)? = try received(message.frame) else {
                Issue.record("expected a refusal of \(message)")
                continue
            }
            #expect(error.problem.contains("\"now\" beside \"stamp\""), "\(error)")
        }
    }

    @Test func `ranges without the hash of all are refused, and so is a hash of another length`()
        throws
    {
        let listen = head(of: "listen", elements: 4)
        for options in [["ranges": ["hashes": ["0": ""]]], ["hash": "abc"]] as [Value] {
            guard case .refused(id: 7, _)? = try received(listen + encoded(options)) else {
                Issue.record("expected a refusal of \(options)")
                continue
            }
        }
    }

    /// The beginning of a frame: one message's name, the id 7 and the path `a`.
    private func head(of name: String, elements: UInt8) -> [UInt8] {
        [1, 0x90 | elements, 0xA0 | UInt8(name.utf8.count)] + name.utf8 + [7, 0xA1] + "a".utf8
    }

    private func received(_ frame: [UInt8]) throws -> Received<ClientMessage>? {
        try FrameReader<ClientMessage>.messages(in: frame).first
    }
}
