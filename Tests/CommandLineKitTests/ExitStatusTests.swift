import Testing

@testable import CommandLineKit

private typealias ExitStatus = CommandLineKit.ExitStatus

@Suite struct ExitStatusTests {
    @Test func `each exit code has its own sentence`() {
        let sentences = ExitStatus.allCases.map(\.explanation)
        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") && !$0.contains("\n") })
    }

    @Test func `a write that is done on too few nodes is no failure that invites to repeat it`() {
        let codes = [ExitStatus.success, .unavailable, .outcomeUnknown].map(\.rawValue)
        #expect(!codes.contains(ExitStatus.lessDurable.rawValue))
        #expect(ExitStatus.lessDurable.explanation.contains("do not repeat"))
    }
}
