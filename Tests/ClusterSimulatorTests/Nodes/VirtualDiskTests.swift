import ReplicaCore
import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The writes that a disk keeps after a failure.
@Suite struct VirtualDiskTests {
    private func disk(_ durability: Durability, seed: UInt64 = 1) -> VirtualDisk {
        VirtualDisk(
            durability, sync: TimeRange(1_000, 5_000), random: SplitMix64(seed: seed))
    }

    private func bytes(_ number: UInt64) -> [UInt8] {
        let stamp = Stamp(time: .zero, writer: WriterID(bits: 9))
        return BatchCoding.encode(
            Batch(
                origin: WriterID(bits: 9), first: number, wallMilliseconds: 0,
                dependencies: VersionVector(), operations: [Operation(stamp: stamp, writes: [])]))
    }

    private func turn(_ number: UInt64) -> Turn {
        let entry = LogEntry(
            origin: WriterID(bits: 9), first: number, last: number, bytes: bytes(number))
        return Turn(
            number: number, batches: [entry], properties: [Property(.clockBound, number)])
    }

    /// A disk that holds turns 1 to `count`.
    private func disk(holding count: UInt64, seed: UInt64 = 1) -> VirtualDisk {
        var disk = disk(.commit, seed: seed)
        for number in 0..<count {
            _ = disk.commit(turn(number + 1), at: 0)
            _ = disk.finish(at: 5_000)
        }
        return disk
    }

    private func stored(_ outcome: VirtualDisk.Outcome) -> UInt64? {
        if case .done(let turn, _) = outcome { turn } else { nil }
    }

    private func numbers(_ disk: VirtualDisk) -> [UInt64] { disk.batches.map(\.first) }

    private func clockBound(_ disk: VirtualDisk) -> UInt64? {
        disk.store.tables.property(Property.Name.clockBound.rawValue).flatMap {
            Property(.clockBound, bytes: $0).number
        }
    }

    @Test func `turns that come while the disk works are committed together next`() {
        var disk = disk(.commit)
        let first = disk.commit(turn(1), at: 0)
        #expect(first.map { (1_000...5_000) ~= $0 } == true)
        #expect(disk.commit(turn(2), at: 10) == nil)
        #expect(disk.commit(turn(3), at: 20) == nil)
        #expect(stored(disk.finish(at: 5_000)) == 1)
        #expect(numbers(disk) == [1])
        #expect(disk.begin(at: 5_000) != nil)
        #expect(stored(disk.finish(at: 10_000)) == 3)
        #expect(disk.begin(at: 10_000) == nil)
        #expect(disk.isIdle)
    }

    @Test func `a crash loses what was not synced, but for a beginning, as the seed says`() {
        var kept: Set<[UInt64]> = []
        for seed in 0..<40 {
            var disk = disk(holding: 1, seed: UInt64(seed))
            _ = disk.commit(turn(2), at: 6_000)
            _ = disk.commit(turn(3), at: 6_100)
            let lost = disk.crash()
            let batches = numbers(disk)
            #expect(batches.count + lost == 3)
            #expect(clockBound(disk) == batches.last)
            kept.insert(batches)
        }
        #expect(kept == [[1], [1, 2]])
    }

    @Test func `with interval turns gather, can be read, and are durable once they are synced`() {
        var disk = disk(.interval)
        #expect(disk.commit(turn(1), at: 0) == nil)
        #expect(disk.synchronize(at: 0) != nil)
        _ = disk.finish(at: 1_000)
        _ = disk.begin(at: 1_000)
        #expect(stored(disk.finish(at: 6_000)) == 1)
        #expect(disk.commit(turn(2), at: 300_000) == nil)
        #expect(numbers(disk) == [1])
        #expect(disk.tick(at: 340_000) != nil)
        #expect(stored(disk.finish(at: 340_500)) == nil)
        #expect(numbers(disk) == [1, 2] && !disk.isIdle)
        #expect(disk.tick(at: 400_000) == nil)
        #expect(disk.commit(turn(3), at: 900_000) == nil)
        #expect(disk.synchronize(at: 910_000) != nil)
        #expect(disk.commit(turn(4), at: 910_100) == nil)
        _ = disk.finish(at: 910_500)
        #expect(disk.begin(at: 910_500) != nil)
        var losing = disk
        #expect(stored(disk.finish(at: 915_000)) == 3, "turn 4 waits for another sync")
        #expect(!disk.isIdle)
        _ = disk.synchronize(at: 915_000)
        _ = disk.finish(at: 915_500)
        _ = disk.begin(at: 915_500)
        #expect(stored(disk.finish(at: 920_000)) == 4)
        #expect(disk.isIdle)
        _ = disk.crash()
        #expect(numbers(disk) == [1, 2, 3, 4])
        _ = losing.crash()
        #expect(numbers(losing).first == 1)
    }

    @Test func `a full disk keeps what waits, and takes it once there is room`() {
        var disk = disk(.commit)
        _ = disk.commit(turn(1), at: 0)
        disk.trouble = .full
        guard case .noRoom(again: 305_000) = disk.finish(at: 5_000) else {
            Issue.record("there is room")
            return
        }
        #expect(numbers(disk).isEmpty && !disk.isIdle)
        disk.trouble = nil
        #expect(stored(disk.finish(at: 305_000)) == 1)
        #expect(numbers(disk) == [1])
    }

    @Test func `a write fails once, and what it had to write may be there`() {
        var counts: Set<Int> = []
        for seed in 0..<40 {
            var disk = disk(.commit, seed: UInt64(seed))
            _ = disk.commit(turn(1), at: 0)
            disk.trouble = .failing
            guard case .failed(.notWritten) = disk.finish(at: 5_000) else {
                Issue.record("nothing fails")
                return
            }
            #expect(disk.trouble == nil)
            _ = disk.crash()
            counts.insert(disk.batches.count)
        }
        #expect(counts == [0, 1])
    }

    @Test func `what a disk has lied about may go with the power, unless it has synced since`() {
        var kept: Set<[UInt64]> = []
        for (seed, syncsAgain) in (0..<40).flatMap({ [($0, false), ($0, true)] }) {
            var disk = disk(holding: 1, seed: UInt64(seed))
            disk.lie(at: 6_000)
            _ = disk.commit(turn(2), at: 7_000)
            #expect(stored(disk.finish(at: 9_000)) == 2)
            if syncsAgain {
                disk.trouble = nil
                _ = disk.commit(turn(3), at: 10_000)
                _ = disk.finish(at: 15_000)
            }
            _ = disk.crash()
            #expect(disk.noteLostPower(at: 20_000) == (syncsAgain ? nil : 6_000))
            if syncsAgain { #expect(numbers(disk) == [1, 2, 3]) }
            kept.insert(numbers(disk))
        }
        #expect(kept == [[1], [1, 2], [1, 2, 3]])
    }

    @Test func `damage turns one bit of something, and is gone once that is`() throws {
        for seed in 0..<20 {
            var disk = disk(holding: 1, seed: UInt64(seed))
            #expect(!disk.isDamaged)
            disk.damage()
            let damaged = disk.batches[0].bytes
            let bits = zip(bytes(1), damaged).map { ($0 ^ $1).nonzeroBitCount }.reduce(0, +)
            #expect(disk.isDamaged && disk.hasDamagedBatch && bits == 1)
            #expect(damaged.suffix(4) == bytes(1).suffix(4))
            var held = VersionVector()
            held[WriterID(bits: 9)] = 1
            _ = disk.execute(.truncate(held), at: 6_000)
            _ = disk.finish(at: 9_000)
            #expect(!disk.isDamaged && disk.batches.isEmpty)
        }
    }

    @Test func `a misdirected write is in another one's place and missing in its own`() {
        var places: Set<[UInt64]> = []
        for seed in 1...40 {
            var disk = disk(holding: 4, seed: UInt64(seed))
            disk.misdirect()
            let place = disk.batches.filter { $0.bytes == bytes(4) }.map(\.first)
            #expect(disk.isDamaged && disk.batches.count == 3 && place.count == 1)
            places.insert(place)
            #expect(throws: MemoryTables.Failure.self) {
                try disk.recover { state in
                    Replica(
                        .init(
                            cluster: "a", member: "n1", peers: [], durability: .commit, seed: 1),
                        properties: state.properties)
                }
            }
        }
        #expect(places == [[1], [2], [3]])
    }

    @Test func `the last batch of an origin goes without a trace`() {
        var disk = disk(holding: 4)
        disk.loseEnd()
        #expect(disk.isDamaged && numbers(disk) == [1, 2, 3])
        var held = VersionVector()
        held[WriterID(bits: 9)] = 3
        #expect(disk.noteStart(holding: held) == 0, "what was stored at any time may be lost")
        #expect(!disk.isDamaged)
    }

    @Test func `a copy needs a new name and room, and ends nothing else`() {
        var disk = disk(holding: 1)
        var results: [Bool] = []
        for (name, trouble) in [
            ("a", nil), ("a", nil), ("b", VirtualDisk.Trouble.full), ("b", nil),
        ] {
            disk.trouble = trouble
            let copy = DatabaseCopies.Request(name: name, id: 7, session: SessionID(number: 3))
            #expect(disk.write(copy, at: 0) != nil)
            _ = disk.finish(at: 30_000)
            guard case .backedUp(let result, id: 7, _)? = disk.copies.takeResult() else {
                Issue.record("there is no result")
                continue
            }
            results.append((try? result.get()) == name)
        }
        #expect(results == [true, false, false, true])
        #expect(disk.copies.takeResult() == nil && numbers(disk) == [1])
    }

    @Test func `with memory nothing outlives the process`() {
        var disk = disk(.memory)
        _ = disk.commit(turn(1), at: 0)
        #expect(disk.synchronize(at: 10) != nil)
        #expect(stored(disk.finish(at: 500)) == 1)
        #expect(disk.begin(at: 500) == nil, "there is nothing to sync")
        var other = disk
        _ = disk.crash()
        _ = other.kill()
        for disk in [disk, other] { #expect(disk.batches.isEmpty && clockBound(disk) == nil) }
    }

    @Test func `a backup takes the place of everything, and nothing that of a lost disk`() {
        var disk = disk(holding: 2)
        disk.backUp(at: 6_000)
        _ = disk.commit(turn(3), at: 7_000)
        _ = disk.finish(at: 9_000)
        #expect(disk.restoreCopy(isMarked: false) == 6_000)
        #expect(numbers(disk) == [1, 2])
        #expect(disk.wipe() == 0)
        #expect(disk.batches.isEmpty)
    }
}
