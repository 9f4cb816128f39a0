import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator
@testable import ReplicaCore

/// What a disk keeps.
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

    @Test func `turns that come during a sync are synced together by the next one`() {
        var disk = disk(.commit)
        let first = disk.write(turn(1), at: 0)
        #expect(first.map { (1_000...5_000) ~= $0 } == true)
        #expect(disk.write(turn(2), at: 10) == nil)
        #expect(disk.write(turn(3), at: 20) == nil)
        guard case .done(turn: 1, next: .some) = disk.finishSync(at: 5_000) else {
            Issue.record("the first turn is not durable, or nothing follows it")
            return
        }
        #expect(disk.batches.map(\.first) == [1])
        #expect(disk.finishSync(at: 10_000) == .done(turn: 3, next: nil))
        #expect(disk.isIdle)
    }

    @Test func `a crash loses what was not synced, but for a beginning, as the seed says`() {
        var kept: Set<[UInt64]> = []
        for seed in 0..<40 {
            var disk = disk(.commit, seed: UInt64(seed))
            _ = disk.write(turn(1), at: 0)
            _ = disk.finishSync(at: 5_000)
            _ = disk.write(turn(2), at: 6_000)
            _ = disk.write(turn(3), at: 6_100)
            let lost = disk.crash()
            let batches = disk.batches.map(\.first)
            #expect(batches.count + lost == 3)
            #expect(disk.properties == [Property(.clockBound, batches.last ?? 0)])
            kept.insert(batches)
        }
        #expect(kept == [[1], [1, 2]])
    }

    @Test func `with interval a turn is readable at once and durable with the second`() {
        var disk = disk(.interval)
        let done = disk.write(turn(1), at: 300_000)
        #expect(done.map { $0 > 1_000_000 } == true)
        #expect(disk.batches.count == 1)
        #expect(disk.properties.isEmpty)
        _ = disk.write(turn(2), at: 900_000)
        #expect(disk.finishSync(at: 1_002_000) == .done(turn: 2, next: nil))
    }

    @Test func `a full disk keeps what waits, and takes it once there is room`() {
        var disk = disk(.commit)
        _ = disk.write(turn(1), at: 0)
        disk.trouble = .full
        #expect(disk.finishSync(at: 5_000) == .noRoom(again: 305_000))
        #expect(disk.batches.isEmpty && !disk.isIdle)
        disk.trouble = nil
        #expect(disk.finishSync(at: 305_000) == .done(turn: 1, next: nil))
        #expect(disk.batches.count == 1)
    }

    @Test func `a sync fails once, and a beginning of what it had to write may be there`() {
        var counts: Set<Int> = []
        for seed in 0..<40 {
            var disk = disk(.commit, seed: UInt64(seed))
            _ = disk.write(turn(1), at: 0)
            disk.trouble = .failing
            #expect(disk.finishSync(at: 5_000) == .failed)
            #expect(disk.trouble == nil)
            _ = disk.crash()
            counts.insert(disk.batches.count)
        }
        #expect(counts == [0, 1])
    }

    @Test func `what a disk has lied about goes with the power, unless it has synced since`() {
        for syncsAgain in [false, true] {
            var disk = disk(.commit)
            _ = disk.write(turn(1), at: 0)
            _ = disk.finishSync(at: 5_000)
            disk.lie(at: 6_000)
            _ = disk.write(turn(2), at: 7_000)
            #expect(disk.finishSync(at: 9_000) == .done(turn: 2, next: nil))
            if syncsAgain {
                disk.trouble = nil
                _ = disk.write(turn(3), at: 10_000)
                _ = disk.finishSync(at: 15_000)
            }
            _ = disk.crash()
            #expect(disk.losePower() == (syncsAgain ? nil : 6_000))
            #expect(disk.batches.map(\.first) == (syncsAgain ? [1, 2, 3] : [1]))
        }
    }

    @Test func `damage turns one bit of one row`() {
        var disk = disk(.commit)
        _ = disk.write(turn(1), at: 0)
        _ = disk.finishSync(at: 5_000)
        #expect(!disk.isDamaged)
        disk.damage()
        let damaged = disk.batches[0].bytes
        let bits = zip(bytes(1), damaged).map { ($0 ^ $1).nonzeroBitCount }.reduce(0, +)
        #expect(disk.isDamaged && bits == 1)
        #expect(damaged.suffix(4) == bytes(1).suffix(4))
    }

    @Test func `damage is gone once the row is`() {
        var disk = disk(.commit)
        _ = disk.write(turn(1), at: 0)
        _ = disk.finishSync(at: 5_000)
        disk.damage()
        var held = VersionVector()
        held[WriterID(bits: 9)] = 1
        disk.truncate(held)
        #expect(!disk.isDamaged)
    }

    @Test func `damage of any row of a checkpoint, or of its head, shows`() {
        let checkpoints = checkpointOfSomeRows()
        #expect(checkpoints.partCount > 2 && !checkpoints.isDamaged)
        for part in 0..<checkpoints.partCount {
            for seed in UInt64(0)..<40 {
                var damaged = checkpoints
                var random = SplitMix64(seed: seed)
                damaged.damage(part, &random)
                #expect(damaged.isDamaged)
            }
        }
    }

    private func checkpointOfSomeRows() -> VirtualCheckpoints {
        var children = Children()
        for index in 0..<9 {
            children[Key(unchecked: "k\(index)")] = .string(String(repeating: "v", count: 50))
        }
        var checkpoints = VirtualCheckpoints()
        checkpoints.begin(
            Checkpoint(
                value: Value(children), registers: Registers(), vector: VersionVector(),
                stableTime: .zero, time: .zero, stamps: DeduplicationTable()), after: 0)
        let isComplete = checkpoints.complete(stored: 0)
        #expect(isComplete)
        return checkpoints
    }

    @Test func `a misdirected write is in another one's place and missing in its own`() {
        var places: Set<[UInt64]> = []
        for seed in 1...40 {
            var disk = disk(.commit, seed: UInt64(seed))
            for number in 1...4 {
                _ = disk.write(turn(UInt64(number)), at: 0)
                _ = disk.finishSync(at: 5_000)
            }
            disk.misdirect()
            let place = disk.batches.filter { $0.bytes == bytes(4) }.map(\.first)
            #expect(disk.isDamaged && disk.batches.count == 3 && place.count == 1)
            places.insert(place)
            let wish = LogRead(
                member: "n2", origin: WriterID(bits: 9), from: 1, through: 4, byteLimit: 1_000)
            #expect(UInt64(disk.read(wish).count) == place[0] - 1)
        }
        #expect(places == [[1], [2], [3]])
    }

    @Test func `a row of a checkpoint that went to another one's place shows`() {
        for seed in UInt64(1)...20 {
            var checkpoints = checkpointOfSomeRows()
            var random = SplitMix64(seed: seed)
            let isDone = checkpoints.misdirect(&random)
            #expect(isDone && checkpoints.isDamaged)
        }
    }

    @Test func `a read ends before a batch that is damaged`() {
        var disk = disk(.commit)
        _ = disk.write(turn(1), at: 0)
        _ = disk.finishSync(at: 5_000)
        disk.damageLog()
        let wish = LogRead(
            member: "n2", origin: WriterID(bits: 9), from: 1, through: 4, byteLimit: 100)
        #expect(disk.read(wish).isEmpty && disk.batches.count == 1)
    }

    @Test func `with memory nothing outlives the process`() {
        var disk = disk(.memory)
        _ = disk.write(turn(1), at: 0)
        _ = disk.finishSync(at: 0)
        _ = disk.crash()
        #expect(disk.batches.isEmpty && disk.properties.isEmpty)
    }

    @Test func `a read begins with the batch that holds the sequence, and ends at the limit`() {
        var disk = disk(.memory)
        for number in 1...5 { _ = disk.write(turn(UInt64(number)), at: 0) }
        var wish = LogRead(
            member: "n2", origin: WriterID(bits: 9), from: 2, through: 4, byteLimit: 100)
        #expect(disk.read(wish) == [bytes(2), bytes(3), bytes(4)])
        wish.byteLimit = 2 * bytes(2).count
        #expect(disk.read(wish) == [bytes(2), bytes(3)])
        wish.from = 6
        #expect(disk.read(wish).isEmpty)
    }
}
