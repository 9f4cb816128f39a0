import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct DecidedTermsTests {
    private func name(_ number: UInt64) -> Stamp {
        Stamp(time: HybridTime(milliseconds: number), writer: WriterID(bits: 77))
    }

    private func operation(_ number: UInt64, term: UInt64?) -> Operation {
        Operation(
            stamp: Stamp(time: .zero, writer: WriterID(bits: 1)), writes: [], alias: name(number),
            term: term)
    }

    @Test
    func `a coordinator confirms its own term, and the operations it held of the previous one`() {
        var terms = DecidedTerms()
        terms.record(operation(1, term: 3), isLate: false)
        terms.record(operation(2, term: 4), isLate: false)
        terms.begin()
        terms.record(operation(3, term: 4), isLate: true)
        terms.record(operation(4, term: 6), isLate: false)
        terms.record(operation(5, term: nil), isLate: false)
        let done = (1...6).map { terms.isDone(name($0), in: 6, after: 4) }
        #expect(done == [false, true, false, true, false, false])
    }

    @Test func `a repeated decision counts with its later term`() {
        var terms = DecidedTerms()
        terms.begin()
        terms.record(operation(1, term: 4), isLate: true)
        terms.record(operation(1, term: 6), isLate: false)
        terms.record(operation(1, term: 4), isLate: true)
        #expect(terms.isDone(name(1), in: 6, after: 4))
        // The next coordinator has held it as it began.
        terms.begin()
        #expect(terms.isDone(name(1), in: 9, after: 6))
        #expect(!terms.isDone(name(1), in: 9, after: 4))
    }

    @Test func `only the last ones are remembered`() {
        var terms = DecidedTerms()
        let last = UInt64(2 * DecidedTerms.limit + 5)
        for number in 1...last { terms.record(operation(number, term: 1), isLate: false) }
        #expect(!terms.isDone(name(last - UInt64(DecidedTerms.limit)), in: 1, after: 0))
        #expect(terms.isDone(name(last - UInt64(DecidedTerms.limit) + 1), in: 1, after: 0))
    }
}
