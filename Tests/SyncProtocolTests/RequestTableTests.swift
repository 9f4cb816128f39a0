import DataTree
import Foundation
import QueryEngine
import Testing

@testable import SyncProtocol

/// The table of requests: each one is encoded, decoded and executed as its type declares.
@Suite struct RequestTableTests {
    private struct Row: CustomTestStringConvertible, Sendable {
        let message: ClientMessage
        let name: String
        let kind: RequestKind
        var needsMember = false
        let check: String

        var testDescription: String { name }
    }

    private static let rows: [Row] = [
        .init(message: .get(id: 1, path: .at("a")), name: "get", kind: .read, check: "read(/a)"),
        .init(
            message: .children(id: 1, path: .at("a")), name: "children", kind: .read,
            check: "read(/a)"),
        .init(
            message: .put(id: 1, path: .at("a"), value: 1), name: "put", kind: .write,
            needsMember: true, check: "duringExecution"),
        .init(
            message: .merge(id: 1, path: .at("a"), writes: [Write(path: .at("b"), value: 1)]),
            name: "merge",
            kind: .write, needsMember: true, check: "duringExecution"),
        .init(
            message: .push(id: 1, path: .at("a"), value: 1), name: "push", kind: .write,
            needsMember: true, check: "duringExecution"),
        .init(
            message: .listen(id: 1, path: .at("a")), name: "listen", kind: .read,
            check: "duringExecution"),
        .init(message: .unlisten(id: 1, listen: 2), name: "unlisten", kind: .read, check: "none"),
        .init(
            message: .onDisconnect(id: 1, path: .at("a"), value: 1), name: "onDisconnect",
            kind: .action, check: "write(/a)"),
        .init(
            message: .onDisconnectMerge(
                id: 1, path: .at("a"), writes: [Write(path: .at("b"), value: 1)]),
            name: "onDisconnectMerge", kind: .action, check: "write(/a/b)"),
        .init(
            message: .onDisconnectCancel(id: 1, path: .at("a")), name: "onDisconnectCancel",
            kind: .action, check: "none"),
        .init(
            message: .backup(id: 1, name: "x"), name: "backup", kind: .action, check: "monitors"),
        .init(
            message: .evict(id: 1, member: "n2"), name: "evict", kind: .action, needsMember: true,
            check: "administratorsOnly"),
        .init(
            message: .hello(id: 1, seen: VersionVector()), name: "hello", kind: .read, check: "none"
        ),
        .init(
            message: .awaitStable(id: 1, milliseconds: 5), name: "awaitStable", kind: .report,
            needsMember: true, check: "signedIn"),
        .init(message: .ping(id: 1), name: "ping", kind: .read, check: "none"),
        .init(message: .status(id: 1), name: "status", kind: .report, check: "monitors"),
        .init(message: .rules(id: 1), name: "rules", kind: .report, check: "administratorsOnly"),
        .init(
            message: .setRules(id: 1, source: "{}"), name: "setRules", kind: .action,
            needsMember: true, check: "administratorsOnly"),
        .init(
            message: .explain(id: 1, statement: "read /"), name: "explain", kind: .report,
            check: "administratorsOnly"),
        .init(
            message: .writes(id: 1, beyond: VersionVector()), name: "writes", kind: .report,
            check: "administratorsOnly"),
        .init(
            message: .coverage(id: 1, .read), name: "coverage", kind: .report,
            check: "administratorsOnly"),
        .init(
            message: .rulesHistory(id: 1), name: "rulesHistory", kind: .report,
            check: "administratorsOnly"),
        .init(
            message: .why(id: 1, path: .at("a"), beyond: VersionVector()), name: "why",
            kind: .report,
            check: "administratorsOnly"),
    ]

    @Test func `each request has one row`() {
        let names = ClientRequest.rows.map(\.name.description)
        #expect(names.sorted() == RequestTableTests.rows.map(\.name).sorted())
    }

    @Test(arguments: RequestTableTests.rows)
    private func `a request has the properties that its type declares`(row: Row) throws {
        let request = row.message.request
        #expect(request.kind == row.kind)
        #expect(request.needsMember == row.needsMember)
        #expect(Self.text(of: request.rulesCheck) == row.check)
        #expect(request.isTreeRead == row.check.hasPrefix("read"))
        let head = try row.message.frame.withUnsafeBytes { bytes throws in
            var reader = try MessagePackReader(frame: bytes)
            return try reader.messageHead().name.description
        }
        #expect(head == row.name)
        #expect(
            try FrameReader<ClientMessage>.messages(in: row.message.frame)
                == [.message(row.message)])
    }

    private static func text(of check: RulesCheck) -> String {
        switch check {
        case .read(let path, _): "read(\(path))"
        case .write(let writes): "write(\(writes.map { "\($0.path)" }.joined(separator: " ")))"
        case .none, .signedIn, .monitors, .administratorsOnly, .duringExecution: "\(check)"
        }
    }

    @Test func `options are properties of the requests that have them`() {
        var random = Seeded(1)
        let stamp = random.stamp()
        let put = ClientMessage.put(
            id: 1, path: .at("a"), value: 1, concern: .all, stamp: stamp
        ).request
        #expect(put.concern == WriteConcern.all && put.stamp == stamp)
        let rules = ClientMessage.setRules(
            id: 1, source: "{}", concern: .majority, patienceMilliseconds: 7
        ).request
        #expect(rules.concern == .majority && rules.patienceMilliseconds == 7)
        #expect(ClientMessage.ping(id: 1).request.concern == nil)
    }

    @Test func `a merge reads and writes its locations, one of many writes their parent`() {
        let few = (0..<100).map { Write(path: Path([Key(index: $0)]), value: 1) }
        let merge = ClientMessage.merge(id: 1, path: .at("a"), writes: Array(few[..<2])).request
        #expect(merge.locations == [.at("a/0"), .at("a/1")])
        let many = ClientMessage.merge(
            id: 1, path: .at("a"), writes: few + [Write(path: .at("b"), value: 1)]
        ).request
        #expect(many.locations == [.at("a")])
    }

    @Test(
        arguments: [
            .children(id: 1, path: .at("a/.priority")),
            .push(id: 1, path: .at("a/.priority"), value: 1),
            .listen(id: 1, path: .at("a/.priority")),
            .onDisconnectCancel(id: 1, path: .at("a/.priority")),
            .merge(id: 1, path: .at("a/.priority"), writes: []),
            .put(id: 1, path: .at("a/.priority"), value: ["b": 1]),
            .onDisconnect(id: 1, path: .at("a/.priority"), value: ["b": 1]),
        ] as [ClientMessage])
    func `requests that were made of values are checked as those of frames`(
        message: ClientMessage
    ) {
        #expect(message.request.failure != nil)
    }

    @Test func `the page for programs in other languages shows each request`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/SyncProtocol/README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        for row in ClientRequest.rows { #expect(text.contains("[\"\(row.name)\""), "\(row.name)") }
    }
}

extension Path {
    fileprivate static func at(_ text: String) -> Path { try! Path(text) }
}
