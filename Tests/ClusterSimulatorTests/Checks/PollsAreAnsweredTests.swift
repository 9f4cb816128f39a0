import Testing

@testable import ClusterSimulator

/// Polls that nodes hold once nothing fails.
@Suite struct PollsAreAnsweredTests {
    private var watch = PollWatch(Scenario(name: "polls"), seed: 1)

    @Test
    mutating func `an earlier poll without an answer for longer than five seconds is a failure`() {
        watch.record(3, awaitsEarlier: true, at: .seconds(10))
        watch.record(3, awaitsEarlier: true, at: .seconds(15))
        #expect(watch.failure == nil)
        watch.record(3, awaitsEarlier: true, at: .seconds(15) + 1)
        #expect(
            watch.failure
                == """
                c4 has sent two polls, and has had no answer to the earlier one since 10.000000 s
                """)
    }

    @Test mutating func `an answer to the earlier poll ends the time`() {
        watch.record(3, awaitsEarlier: true, at: .seconds(10))
        watch.record(3, awaitsEarlier: false, at: .seconds(14))
        watch.record(3, awaitsEarlier: true, at: .seconds(16))
        watch.record(4, awaitsEarlier: true, at: .seconds(19))
        watch.record(3, awaitsEarlier: true, at: .seconds(20))
        #expect(watch.failure == nil)
    }
}
