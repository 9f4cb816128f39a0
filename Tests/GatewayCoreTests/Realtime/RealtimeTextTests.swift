import DataTree
import JSONText
import QueryEngine
import SyncProtocol
import Testing

@testable import GatewayCore

@Suite struct RealtimeTextTests {
    private func text(_ writes: [(String, Value)]) throws -> String {
        let writes = try writes.map { Write(path: try Path($0.0), value: $0.1) }
        let text = RealtimeText.push(writes, at: try Path("l/m"))
        return String(decoding: text.parts().joined(), as: UTF8.self)
    }

    private func push(_ action: String, _ path: String, _ data: String) -> String {
        #"{"t":"d","d":{"a":"\#(action)","b":{"p":"\#(path)","d":\#(data)"#
    }

    @Test func `one write is an overwrite where it is`() throws {
        #expect(try text([("", .integer(1))]) == push("d", "l/m", "1"))
        #expect(try text([("a/b", .null)]) == push("d", "l/m/a/b", "null"))
        #expect(try text([("a/.priority", .integer(2))]) == push("d", "l/m/a/.priority", "2"))
    }

    @Test func `more are a merge, with paths as keys`() throws {
        #expect(
            try text([("a/b", .integer(1)), ("c", .null), (".priority", .string("p"))])
                == push("m", "l/m", #"{"a/b":1,"c":null,".priority":"p"}"#))
    }

    @Test func `writes that cover each other become writes that do not`() throws {
        let nested: [(String, Value)] = [
            ("a", .integer(1)), ("a/b", .integer(2)), ("c/d", .integer(3)), ("c", .integer(4)),
        ]
        #expect(try text(nested) == push("m", "l/m", #"{"a":{"b":2},"c":4}"#))
        #expect(
            try text([("a/b", .integer(2)), ("", .integer(5)), ("x", .integer(6))])
                == push("d", "l/m", #"{"x":6}"#))
    }

    @Test func `a query is read as it was written`() throws {
        let queries = try [
            Query().orderedByKey().starting(at: .string("b")).limited(toLast: 3),
            Query().ordered(byChild: "n").starting(at: .integer(1)).ending(at: .integer(7)),
            Query().orderedByValue().ending(at: .string("x")).limited(toFirst: 2),
        ]
        for query in queries {
            let listen = #""p":"/l","q":\#(query.realtimeText),"t":1,"h":"""#
            let text = #"{"t":"d","d":{"r":1,"a":"q","b":{\#(listen)}}}"#
            guard
                case .request(let request) = try RealtimeMessage(
                    Array(text.utf8), by: JSONReader()),
                case .listen(let key, _, _) = request.action
            else {
                Issue.record("\(text)")
                continue
            }
            #expect(key.query == query)
        }
    }

    @Test func `a text is made once for a notice of a database and a form`() {
        var texts = GatewayTexts()
        var made = 0
        func text(
            _ notice: UInt64, _ form: GatewayTexts.Form, of database: DatabaseName = .default
        ) -> [UInt8] {
            texts.text(notice, of: database, form) {
                made += 1
                return [UInt8(made)]
            }
        }
        #expect(
            [text(1, .realtime), text(1, .realtime), text(1, .eventStream(.plain))] == [
                [1], [1], [2],
            ])
        #expect([text(2, .realtime), text(0, .realtime), text(0, .realtime)] == [[3], [4], [5]])
        #expect(text(2, .realtime, of: DatabaseName("chat")!) == [6])
        texts.removeAll()
        #expect(text(1, .realtime) == [7])
    }

    @Test(
        arguments: [
            (.invalid, "failure"), (.tooBig, "too_big"), (.changed, "datastale"),
            (.unavailable, "unavailable"), (.noMajority, "unavailable"),
            (.undecided, "unavailable"),
        ] as [(ErrorCode, String)])
    func `failures have the statuses that clients know`(code: ErrorCode, status: String) {
        #expect(code.realtimeStatus == status)
    }
}
