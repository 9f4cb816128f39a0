import SyncProtocol
import Testing
import ZeroMQ

@testable import ClusterNode

/// The lines of the log about nodes that do not list each other.
@Suite struct NewsTests {
    @Test func `a node that waits says after five seconds for whom, once for each state`() {
        var wait = WaitNews()
        func lines(_ seconds: Int, _ missing: [String], isServing: Bool = false) -> [String] {
            (0..<seconds).compactMap { _ in wait.line(isServing: isServing, missing: missing) }
        }
        #expect(lines(4, ["n1", "n2"]).isEmpty)
        #expect(
            lines(60, ["n1", "n2"]) == ["serves no clients yet: it waits for n1 and n2"])
        #expect(lines(9, ["n2"]) == ["serves no clients yet: it waits for n2"])
        #expect(lines(9, []) == ["serves no clients yet: it fetches the data of the others"])
        #expect(lines(1, [], isServing: true).isEmpty && lines(60, ["n2"]).isEmpty)
    }

    @Test func `a refused process has one line, with its name, its address and the fix`() {
        var news = RefusalNews()
        var refused = NodeStatus.RefusedNode()
        (refused.member, refused.endpoint) = ("n4", "tcp://127.0.0.1:7032")
        (refused.problem, refused.fix) = ("the configuration of n1 has no node n4", "list n4")
        #expect(
            news.lines(for: ["unknownMember": refused]) == [
                "refuses the process n4 at tcp://127.0.0.1:7032: the configuration of n1 has no node n4; list n4"
            ])
        refused.count = 2
        #expect(news.lines(for: ["unknownMember": refused]).isEmpty)
        let many = (0..<200).flatMap { number in
            refused.member = "x\(number)"
            return news.lines(for: ["unknownMember": refused])
        }
        #expect(many.count == 99)
    }

    @Test func `a refused key has one line, with its address and the fix`() throws {
        func refusal(_ key: PublicKey, at address: String) -> ZAPHandler.Refusal {
            ZAPHandler.Refusal(key: key, address: address)
        }
        var refused = RefusedKeys()
        let key = KeyPair.random().publicKey
        let line = refused.record(refusal(key, at: "::ffff:10.0.0.4"), at: 0)
        #expect(
            line?.hasPrefix(
                "refuses a process at 10.0.0.4, as no node in the configuration has its key \(key); if"
            ) == true)
        #expect(refused.record(refusal(key, at: "10.0.0.5"), at: 2_000_000_000) == nil)
        let report = try #require(refused.reports(at: 5_000_000_000).first)
        #expect(report.key == key.description && report.address == "10.0.0.5")
        #expect(report.count == 2 && report.agoMilliseconds == 3_000)
        // A process can make any number of keys.
        let lines = (0..<200).compactMap { _ in
            refused.record(refusal(KeyPair.random().publicKey, at: "fd00::4"), at: 6_000_000_000)
        }
        #expect(lines.count == 99 && refused.reports(at: 7_000_000_000).count == 8)
    }
}
