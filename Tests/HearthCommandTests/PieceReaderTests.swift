import DataTree
import QueryEngine
import SyncProtocol
import Testing

@testable import CommandLineKit
@testable import HearthCommand

/// How `export` reads a large value.
@Suite struct PieceReaderTests {
    /// Reads a value from itself; returns the copy, and the bytes of all answers.
    private func read(_ value: Value) throws -> (copy: Value, sizes: [Int]) {
        var sizes: [Int] = []
        var reader = PieceReader { request throws(CommandError) in
            switch request {
            case .listing(let path, let start):
                return .listing(
                    ChildListing(
                        of: value[path], from: start, limit: PieceReader.listingLimit))
            case .value(let path, let query):
                let answer =
                    query == Query()
                    ? value[path] : PieceReaderTests.shown(by: query, in: value[path])
                sizes.append(answer.size)
                return .value(answer)
            }
        }
        return (try reader.value(at: .root), sizes)
    }

    private static func shown(by query: Query, in value: Value) -> Value {
        query.shown(in: OrderedList(value, by: Index(by: query.order, of: value.children))).value
    }

    private func object(_ count: Int, _ child: (Int) -> Value) -> Value {
        .object(named: (0..<count).map { ("k\($0)", child($0)) })
    }

    @Test func `small values are read at once`() throws {
        for value in [.null, .string("a"), object(3) { .integer(Int64($0)) }] as [Value] {
            let (copy, sizes) = try read(value)
            #expect(copy == value && sizes.count == 1)
        }
    }

    @Test func `a long list is read in pieces of a bounded size`() throws {
        let record = object(4) { _ in .string(String(repeating: "x", count: 250)) }
        let value = Value.object(named: [
            ("a", .object(named: [("list", object(5_000) { _ in record })]))
        ])
        let (copy, sizes) = try read(value)
        #expect(copy == value)
        #expect(sizes.allSatisfy { $0 <= 600_000 } && (10...60).contains(sizes.count), "\(sizes)")
    }

    @Test func `a large child among many small ones is read in pieces`() throws {
        let text = Value.string(String(repeating: "x", count: 1_000))
        let value = object(200) { $0 == 70 ? object(3_000) { _ in text } : text }
        let (copy, sizes) = try read(value)
        #expect(copy == value)
        #expect(sizes.allSatisfy { $0 <= 600_000 })
    }

    @Test func `priorities are kept at every depth`() throws {
        var value = object(100) { object(70 - $0 / 2) { .integer(Int64($0)) } }
        for path in ["/.priority", "/k1/.priority", "/k1/k2/.priority", "/k99/.priority"] {
            value.set(.integer(7), at: try Path(path))
        }
        #expect(try read(value).copy == value)
    }

    @Test func `many small objects do not take a request each`() throws {
        let value = object(60) { _ in object(60) { _ in object(2) { _ in .boolean(true) } } }
        let (copy, sizes) = try read(value)
        #expect(copy == value && sizes.count < 10_000)
    }
}
