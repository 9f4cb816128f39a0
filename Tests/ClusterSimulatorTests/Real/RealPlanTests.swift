import Testing

@testable import ClusterSimulator

/// What of a scenario real nodes do.
@Suite struct RealPlanTests {
    private func plan(_ text: String) throws -> RealPlan {
        RealPlan(try Scenario(parsing: text, name: "real"), seed: 1)
    }

    @Test func `faults of processes are done at their times, in order`() throws {
        let plan = try plan(
            """
            at 4s restart n1
            at 1s crash n1
            at 2s pause n2
            at 3s resume n2
            at 5s wipe n3
            at 6s stop n3
            at 7s c1 set /a 1
            at 7s n1 reads /a expect 1
            until 9s
            check stays-live
            """)
        let steps = plan.steps.map { "\($0.time / 1_000_000) \($0.step)" }
        #expect(plan.skipped.isEmpty)
        #expect(plan.end == 9_000_000)
        #expect(
            steps.prefix(6) == [
                "1 kill(node: 0)", "2 suspend(node: 1)", "3 resume(node: 1)", "4 start(node: 0)",
                "5 wipe(node: 2)", "6 stop(node: 2)",
            ])
        #expect(steps.count == 8)
    }

    @Test func `what only a simulator can do is named`() throws {
        let plan = try plan(
            """
            network loss=5%
            clocks skew=1s
            clients count=2 listeners=1
            mix 1 transfer /(a|b) 1 in-transaction
            at 1s partition n1 | n2 n3
            at 2s heal
            at 3s disk n1 lies
            at 4s partition n1 | n2 n3
            until 9s
            check stays-live
            """)
        #expect(plan.steps.isEmpty)
        #expect(
            plan.skipped == [
                "disk", "partition (2 times)", "settings of network", "settings of clocks",
                "clients listeners", "mix 1 transfer /(a|b) 1 in-transaction",
            ])
    }

    @Test func `checks that need a simulator are not judged`() throws {
        let plan = try plan(
            "at 1s n1 reads /a expect 1\n"
                + "check replicas-equal, every-turn-equals-oracle, stays-live, memory-is-freed\n"
                + "check count /a <= 1")
        let judged: Set<Check> = [.expectationsHold, .replicasEqual, .staysLive, .invariantsHold]
        #expect(Set(plan.checks) == judged && plan.checks.count == judged.count)
    }

    @Test func `a client asks what the workload says, and a transfer reads before it writes`()
        throws
    {
        let plan = try plan(
            "workload operations=3\nclients count=1\n"
                + "mix 1 transfer /(a|b) 1\ncheck stays-live")
        var requests = RealRequests(plan, client: 0, seed: 1)
        var kinds: [String] = []
        while let (work, _) = requests.next(keyMilliseconds: 1) {
            switch work {
            case .get: kinds.append("get")
            case .write(_, let writes): kinds.append("write \(writes.count)")
            default: kinds.append("another")
            }
            requests.finish(reading: .integer(5))
        }
        #expect(
            kinds == ["get", "get", "write 2", "get", "get", "write 2", "get", "get", "write 2"])
    }
}
