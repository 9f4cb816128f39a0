import SyncProtocol
import Testing

@testable import ClusterNode

@Suite struct `News of evictions` {
    private func eviction(_ member: String, _ stage: Eviction.Stage) -> Eviction {
        Eviction(member: member, writer: WriterID(bits: 1 << 40), stage: stage)
    }

    @Test func `report each stage once, also stages between two checks`() {
        var news = EvictionLogger(of: "n1", knowing: [eviction("n2", .over)])
        let old = eviction("n2", .over)
        #expect(news.lines(for: [old], isOut: false) == [])
        #expect(
            news.lines(for: [old, eviction("n3", .wanted)], isOut: false)
                == ["votes to evict n3"])
        #expect(
            news.lines(for: [old, eviction("n3", .back)], isOut: false) == [
                "n3 is evicted: more than half of the nodes voted for it",
                "n3 has rejoined after its eviction",
            ])
        #expect(
            news.lines(for: [old, eviction("n3", .over)], isOut: false)
                == ["n3 has replayed its orphaned operations"])
        #expect(news.lines(for: [old, eviction("n3", .over)], isOut: false) == [])
    }

    @Test func `report a node's own eviction, also if it rejoined between two checks`() {
        let (evicted, rejoined) = (
            "was evicted: accepts no writes until it has installed a peer's checkpoint and rejoined",
            "has rejoined after its eviction, and accepts writes"
        )
        var news = EvictionLogger(of: "n3", knowing: [])
        #expect(news.lines(for: [], isOut: true) == [evicted])
        #expect(news.lines(for: [eviction("n3", .out)], isOut: true) == [])
        #expect(news.lines(for: [eviction("n3", .over)], isOut: false) == [rejoined])
        var late = EvictionLogger(of: "n3", knowing: [])
        #expect(late.lines(for: [eviction("n3", .over)], isOut: false) == [evicted, rejoined])
    }
}
