import DataTree
import ReplicaCore
import SyncProtocol
import Testing

// A member that the others have evicted keeps some of its operations under `/_conflicts` instead of repeating them.

extension EvictionTests {
    @Test func `where all is to be kept, nothing is done again`() {
        var cluster = cluster(orphanPolicy: .keep)
        isolate(&cluster)
        cluster.send(.put(id: 1, path: list.appending(key(1)), value: 3), to: "n3")
        cluster.send(.put(id: 2, path: count, value: Universe.increment(1)), to: "n3")
        cluster.quiesce()
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].counters.replayed == 0)
        #expect(cluster["n3"].counters.quarantined == 2)
        for name in cluster.names {
            #expect(cluster[name].value[list].children.count == 30)
            #expect(cluster[name].value[conflicts].children.count == 2)
        }
    }

    @Test func `values that are too deep are kept as text`() {
        var cluster = cluster(orphanPolicy: .keep)
        isolate(&cluster)
        var deep = Value.null
        deep.set(.string("é"), at: Path(Array(repeating: Key(unchecked: "d"), count: 30)))
        cluster.send(.put(id: 1, path: Universe.path("title"), value: deep), to: "n3")
        cluster.quiesce()
        cluster.send(.evict(id: 6, member: "n3"), to: "n1")
        cluster.quiesce()
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        let (start, end) = (#"{"d":"#, "}")
        let text =
            String(repeating: start, count: 30) + #""é""# + String(repeating: end, count: 30)
        for name in cluster.names {
            let kept = cluster[name].value[conflicts].children.first?.value ?? .null
            #expect(kept[Universe.path("writes/0/path")] == .string("/title"))
            #expect(kept[Universe.path("writes/0/json")] == .string(text))
            #expect(kept[Universe.path("writes/0/value")] == .null)
        }
    }

    @Test func `an increment is kept if its execution elsewhere is forgotten`() {
        var cluster = cluster(stampsOfClient: 2)
        isolate(&cluster)
        func put(_ number: UInt64, _ path: Path, _ value: Value) -> ClientMessage {
            let time = HybridTime(milliseconds: 1_700_000_009_000 + number)
            return .put(
                id: number, path: path, value: value,
                stamp: Stamp(time: time, writer: WriterID(bits: 77)))
        }
        let add = put(1, count, Universe.increment(7))
        cluster.send(add, to: "n3")
        cluster.send(add, to: "n1")
        for number in 2...9 {
            cluster.send(put(UInt64(number), Universe.path("title"), .string("a")), to: "n1")
        }
        cluster.send(.evict(id: 20, member: "n3"), to: "n1")
        cluster.quiesce(milliseconds: 6_000)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        for name in cluster.names {
            #expect(cluster[name].value[count] == 7)
            let kept = cluster[name].value[conflicts].children.first?.value ?? .null
            #expect(kept[Universe.path("mayBeDone")] == .boolean(true))
            #expect(kept[Universe.path("writes/0/path")] == .string("/count"))
            #expect(kept[Universe.path("writes/0/value")] == 7)
        }
    }
}
