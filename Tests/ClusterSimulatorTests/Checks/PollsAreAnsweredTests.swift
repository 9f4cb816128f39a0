import Testing

@testable import ClusterSimulator

/// Polls that nodes hold once nothing fails.
@Suite struct PollsAreAnsweredTests {
    private var watch = PollWatch(Scenario(name: "polls"), seed: 1)

    @Test mutating func `two open polls for longer than five seconds are a failure`() {
        watch.note(3, holdsTwo: true, at: .seconds(10))
        watch.note(3, holdsTwo: true, at: .seconds(15))
        #expect(watch.failure == nil)
        watch.note(3, holdsTwo: true, at: .seconds(15) + 1)
        #expect(watch.failure == "c4 has sent two polls, and has no answer since 10.000000 s")
    }

    @Test mutating func `an answer to one of two polls ends the time`() {
        watch.note(3, holdsTwo: true, at: .seconds(10))
        watch.note(3, holdsTwo: false, at: .seconds(14))
        watch.note(3, holdsTwo: true, at: .seconds(16))
        watch.note(4, holdsTwo: true, at: .seconds(19))
        watch.note(3, holdsTwo: true, at: .seconds(20))
        #expect(watch.failure == nil)
    }
}
