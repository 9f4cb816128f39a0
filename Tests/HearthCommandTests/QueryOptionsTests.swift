import DataTree
import QueryEngine
import Testing

@testable import CommandLineKit
@testable import HearthCommand

@Suite struct `Options of a query` {
    private func query(_ words: String...) throws -> Query {
        guard
            case .run(let invocation) = try CommandParser(root: .hearth)
                .parse(["query", "/list"] + words)
        else { return Query() }
        return try QueryOptions.query(of: invocation)
    }

    private func problem(_ words: String...) -> String {
        let error = #expect(throws: CommandError.self) {
            guard
                case .run(let invocation) = try CommandParser(root: .hearth)
                    .parse(["query", "/list"] + words)
            else { return }
            _ = try QueryOptions.query(of: invocation)
        }
        return error?.problem ?? ""
    }

    @Test func `make the query that they name`() throws {
        #expect(try query() == Query())
        #expect(
            try query("--order-by", "child:metrics/views", "--limit-to-last", "3")
                == Query().ordered(byChild: "metrics/views").limited(toLast: 3))
        #expect(
            try query("--order-by", "value", "--start-at", "1", "--end-before", "\"a,b\"")
                == Query().orderedByValue().starting(at: .integer(1))
                .ending(before: .string("a,b")))
        #expect(
            try query("--order-by", "value", "--start-after", "5,k1")
                == Query().orderedByValue().starting(after: .integer(5), key: "k1"))
        #expect(
            try query("--order-by", "key", "--equal-to", "\"k\"")
                == Query().orderedByKey().equal(to: .string("k")))
    }

    @Test func `report their errors`() {
        #expect(problem("--order-by", "name").contains("--order-by name"))
        #expect(problem("--start-at", "text").contains("--start-at text: not JSON"))
        #expect(problem("--limit-to-first", "0").contains("--limit-to-first 0"))
        #expect(
            problem("--limit-to-first", "1", "--limit-to-last", "1").contains(
                "Limit was already set"))
        #expect(problem("--order-by", "key", "--start-at", "1").contains("must be a string"))
    }
}

@Suite struct `An expression of a transaction` {
    private func result(_ text: String, of value: Value) throws -> Value? {
        try TransactionExpression(text).applied(to: value)
    }

    @Test func `computes with what is there, nothing being 0`() throws {
        #expect(try result("value + 1", of: .integer(4)) == .integer(5))
        #expect(try result("value - 1", of: .null) == .integer(-1))
        #expect(try result("value * 2.5", of: .integer(4)) == .integer(10))
        #expect(try result("value max 7", of: .integer(4)) == .integer(7))
        #expect(try result("value min 7", of: .integer(4)) == .integer(4))
        #expect(try result("value + 1", of: .integer(.max)) == .double(0x1p63))
    }

    @Test func `compares and sets, whatever the texts contain`() throws {
        let expression = #""a -> b" -> {"x":1}"#
        #expect(try result(expression, of: .string("a -> b"))?[Key(unchecked: "x")] == .integer(1))
        // Not `nil`, which as a literal of a value is null.
        guard case .none = try result(expression, of: .string("other")) else {
            Issue.record("something else was there")
            return
        }
        #expect(try result("null -> 1", of: .null) == .integer(1))
        // The value is not known yet: the write is repeated to learn it.
        #expect(try result("2 -> 1", of: .null) == .null)
        #expect(try !TransactionExpression("2 -> 1").accepts(.null))
    }

    @Test(arguments: ["", "value", "value / 2", "value + x", "1 ->", "x -> y"])
    func `that is invalid is refused, and both forms are shown`(text: String) {
        let error = #expect(throws: CommandError.self) { try TransactionExpression(text) }
        #expect(error?.fix.contains("OLD -> NEW") == true)
    }
}
