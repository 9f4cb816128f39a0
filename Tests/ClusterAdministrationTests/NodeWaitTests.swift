import ClientConnection
import ClientCore
import SyncProtocol
import Testing

@testable import ClusterAdministration

/// What is said of the nodes that a command waits for.
@Suite struct NodeWaitTests {
    private let link: NodeLink

    init() throws {
        let pin = "#sha256=" + String(repeating: "a5", count: 32)
        link = try NodeLink(
            to: ["https://127.0.0.1:9" + pin, "http://127.0.0.1:10"],
            names: ["http://127.0.0.1:10": "n2"])
    }

    private let first = "https://127.0.0.1:9"
    private let second = "http://127.0.0.1:10"

    @Test func `the message of a wait names the node and its reason`() {
        let served = NodeContact.served(by: second)
        #expect(NodeWait.sentence(served, link) == "waiting for n2 (http://127.0.0.1:10) to answer")
        #expect(
            NodeWait.sentence(served, link, .all)
                == "waiting for n2 (http://127.0.0.1:10), until all nodes hold the write")
        #expect(
            NodeWait.sentence(.searching(refusal: nil), link)
                == "waiting for a node: none of https://127.0.0.1:9, n2 answers")
        let refusal = HearthError(.unavailable, "the disk is full", fix: "make room")
        #expect(
            NodeWait.sentence(.searching(refusal: refusal), link)
                == "waiting for a node that accepts the request: the disk is full")
    }

    @Test func `the wait of a node for other nodes has its own limit`() {
        let cases: [(WriteConcern?, Int, String)] = [
            (nil, 5, "for 5 s at most (--timeout)"), (.local, 5, "for 5 s at most (--timeout)"),
            (.majority, 5, "for 3 s at most"), (.all, 3, "for 3 s at most (--timeout)"),
            (.all, 2, "for 2 s at most (--timeout)"),
        ]
        for (concern, seconds, text) in cases {
            let limit = Duration.seconds(seconds)
            #expect(NodeWait.bound(.served(by: second), limit, concern) == text)
            // Whether a node is found depends on the command alone.
            let searching = NodeWait.bound(.searching(refusal: nil), limit, concern)
            #expect(searching == "for \(NodeWait.text(of: limit)) at most (--timeout)")
        }
    }

    @Test func `a limit is said in seconds`() {
        #expect(NodeWait.text(of: .seconds(5)) == "5 s")
        #expect(NodeWait.text(of: .milliseconds(500)) == "0.5 s")
    }

    @Test func `the loss of a node is said once, and which one serves then`() {
        var log = ContactLog(since: .served(by: second))
        #expect(log.sentence(for: .served(by: second), link) == nil)
        #expect(
            log.sentence(for: .searching(refusal: nil), link)
                == "lost contact with n2 (http://127.0.0.1:10); trying https://127.0.0.1:9, n2")
        #expect(log.sentence(for: .searching(refusal: nil), link) == nil)
        let back = log.sentence(for: .served(by: first), link)
        #expect(back?.hasPrefix("connected to https://127.0.0.1:9 after 0.") == true)
        #expect(log.sentence(for: .searching(refusal: nil), link) != nil)
    }

    @Test func `the reason why no node serves is said once, also if it is known later`() {
        let gone = HearthError(
            .unavailable, "h: The database a was removed", fix: "use another name")
        var log = ContactLog(since: .served(by: second))
        #expect(log.sentence(for: .searching(refusal: nil), link) != nil)
        #expect(
            log.sentence(for: .searching(refusal: gone), link)
                == "still not connected: h: The database a was removed; use another name")
        #expect(log.sentence(for: .searching(refusal: gone), link) == nil)
        _ = log.sentence(for: .served(by: second), link)
        #expect(log.sentence(for: .searching(refusal: gone), link)?.contains("was removed") == true)
        #expect(log.sentence(for: .searching(refusal: gone), link) == nil)
    }

    @Test func `before a node has served there is nothing to lose`() {
        var log = ContactLog(since: .searching(refusal: nil))
        #expect(log.sentence(for: .searching(refusal: nil), link) == nil)
        #expect(log.sentence(for: .served(by: first), link) == nil)
    }
}
