import Testing

@testable import ClusterSimulator

/// The parts of a scenario that real nodes run.
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

    private func changes(_ text: String) throws -> [NetworkChange] {
        try plan(text).steps.compactMap { step in
            if case .network(let change) = step.step { change } else { nil }
        }
    }

    private func links(_ ends: (Int, Int)...) -> [DirectedLink] {
        ends.map { DirectedLink(from: $0.0, to: $0.1) }
    }

    @Test func `faults of the network are changes of its links`() throws {
        let found = try changes(
            """
            at 1s partition n1 n2 | n3
            at 2s partition n1 -> n2
            at 3s isolate n2
            at 4s clog n1 -> n3
            at 5s unclog n1 -> n3
            at 6s disconnect n2 n3
            at 7s half-open n3 -> n1
            at 8s degrade n1 -> n2 delay=5ms..9ms bandwidth=10kB
            at 9s heal
            check stays-live
            """)
        #expect(
            found == [
                .cut(links((0, 2), (1, 2), (2, 0), (2, 1))), .cut(links((0, 1))),
                .cut(links((0, 1), (1, 0), (1, 2), (2, 1))), .cut(links((0, 2))),
                .open(links((0, 2))), .disconnect(1, 2), .halfOpen(DirectedLink(from: 2, to: 0)),
                .slow(
                    DirectedLink(from: 0, to: 1),
                    LinkPace(delay: 5_000...9_000, bandwidth: 10_000)),
                .heal,
            ])
    }

    @Test func `of a ring of four each node reaches two`() throws {
        let found = try changes("cluster replicas=4\nat 1s ring\ncheck stays-live")
        #expect(found == [.cut(links((0, 2), (1, 3), (2, 0), (3, 1)))])
    }

    @Test func `clients are cut off from nodes, and not from each other`() throws {
        let plan = try plan(
            "cluster clients=2\nat 1s partition n1 c2 | n2 n3 c1\ncheck stays-live")
        guard case .network(.cut(let cut))? = plan.steps.first?.step else {
            Issue.record("there is no cut")
            return
        }
        let expected = links((0, 1), (0, 2), (0, 3), (4, 1), (4, 2))
        #expect(Set(cut) == Set(expected + expected.map(\.reversed)) && cut.count == 10)
        #expect(plan.proxiedClients == 2)
    }

    @Test func `more clients than can be proxied are not cut off`() throws {
        let plan = try plan(
            "cluster clients=65\nat 1s partition n1 c2 | n2 n3\nat 2s heal\ncheck stays-live")
        #expect(plan.skipped == ["partition"] && plan.proxiedClients == 0)
        #expect(!plan.needsProxy)
    }

    @Test func `a direction flaps until the next heal`() throws {
        let plan = try plan("at 1s flap n1 -> n2\nat 3s heal\nuntil 9s\ncheck stays-live")
        let times = plan.steps.map(\.time)
        #expect(times.count > 6 && times.first == 1_000_000 && times.last == 3_000_000)
        for (index, step) in plan.steps.dropLast().enumerated() {
            guard case .network(let change) = step.step else { continue }
            #expect(
                change == (index.isMultiple(of: 2) ? .cut(links((0, 1))) : .open(links((0, 1)))))
        }
        for (earlier, later) in zip(times.dropLast(), times.dropFirst().dropLast()) {
            #expect((10_000...400_000).contains(later - earlier))
        }
    }

    @Test func `only a plan whose links are slow or fail needs a proxy`() throws {
        #expect(try !plan("network loss=5%\nat 1s heal\ncheck stays-live").needsProxy)
        #expect(try plan("at 1s partition n1 | n2\ncheck stays-live").needsProxy)
        let slow = try plan("network delay=2ms..3ms loss=5%\ncheck stays-live")
        #expect(slow.needsProxy && slow.linkPace == LinkPace(delay: 2_000...3_000))
    }

    @Test func `what only a simulator can do is named`() throws {
        let plan = try plan(
            """
            network loss=5% delay=1ms..2ms
            clocks skew=1s
            clients count=2 listeners=1
            mix 1 transfer /(a|b) 1 in-transaction
            at 1s lose n1 -> n2 batches
            at 2s heal
            at 3s disk n1 lies
            at 4s lose n1 -> n2 batches
            at 5s degrade n1 -> n2 delay=5ms..9ms loss=9%
            until 9s
            check stays-live
            """)
        #expect(plan.steps.count == 2)
        #expect(
            plan.skipped == [
                "degrade loss", "disk", "lose (2 times)", "network loss", "settings of clocks",
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
