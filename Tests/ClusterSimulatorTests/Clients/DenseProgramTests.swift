import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol
import Testing

@testable import ClientCore
@testable import ClusterSimulator

/// The requests that dense programs draw.
@Suite struct DenseProgramTests {
    private let list = DenseProgram.lists[0]

    @Test func `a write at the limits is valid, and one beyond them is not`() {
        for seed in 0..<200 {
            var random = SplitMix64(seed: UInt64(seed))
            let allowed = DenseLimits.drawAllowed(below: list, "c1-1", &random)
            #expect(throws: Never.self) { try allowed.validate() }
            #expect(allowed.mergeFailure == nil)
            let refused = DenseLimits.drawRefused(below: list, "c1-1", &random)
            #expect(throws: DataError.self) { try refused.validate() }
        }
    }

    @Test func `some filters of a program differ in one bound's inclusion alone`() {
        var pairs = 0
        for seed in 0..<300 {
            var random = SplitMix64(seed: UInt64(seed))
            let filter = DenseFilter(&random)
            let (a, b) = (filter.query, filter.varied(&random).query)
            let isSamePlace =
                a.start?.value == b.start?.value && a.end?.value == b.end?.value
                && a.limit == b.limit && a.order == b.order
            if isSamePlace, a != b { pairs += 1 }
        }
        #expect(pairs > 20)
    }

    @Test func `a program that restarts listens to as much as before, under new numbers`() {
        var random = SplitMix64(seed: 7)
        var program = DenseProgram(remaining: 100, children: 0)
        var last = -1
        while program.listens.count < 3, let step = program.next(tag: "t", at: 0, &random) {
            if case .listens = step { last += 1 }
        }
        #expect(program.restart(isOffline: false) == 3)
        #expect(program.listens == [last + 1, last + 2, last + 3])
        #expect(!program.isOffline && program.isReading)
    }

    @Test func `a file keeps the writes without an outcome, in order, and the last values`() {
        var file = ClientFile()
        file.keep([.write(number: 2, frame: [2]), .write(number: 1, frame: [1])])
        file.keep([.write(number: 3, frame: [3]), .writeEnded(number: 1)])
        file.keep([.value(key: "a", frame: [7]), .value(key: "a", frame: [8])])
        #expect(file.keptWrites.map(\.number) == [2, 3])
        #expect(file.value(at: "a") == [8])
        #expect(file.value(at: "b") == nil)
    }
}

extension Request.Work {
    fileprivate var mergeFailure: DataError? {
        guard case .merge(let path, let writes) = self else { return nil }
        return Write.failure(inMerge: writes, at: path)
    }
}
