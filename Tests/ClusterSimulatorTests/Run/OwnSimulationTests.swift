import Testing

@testable import ClusterSimulator

/// Simulations of an application on Hearth, with its own data, clients and claims.
@Suite struct OwnSimulationTests {
    private func bank(_ transfer: String, checks: String) throws -> Scenario {
        let text = """
            load accounts.json
            clients count=4
            workload operations=60
            mix 3 \(transfer)
            until 5s
            \(checks)
            """
        return try Scenario(parsing: Array(text.utf8), name: "bank") { _ in
            Array("{\"accounts\":{\"a\":{\"balance\":100},\"b\":{\"balance\":100}}}".utf8)
        }
    }

    private static let sum = "check sum /accounts/$id/balance == 200"

    @Test func `a program that reads and then writes loses money, and the invariant finds it`()
        throws
    {
        let racy = try bank("transfer /accounts/(a|b)/balance (1..9)", checks: Self.sum)
        let report = try #require(
            (1...10).lazy.map { Simulation.run(racy, seed: $0) }.first { $0.verdict == .invalid })
        let result = try #require(report.checks.first)
        #expect(result.check == .invariantsHold)
        #expect(
            result.details.hasPrefix(
                "\"sum /accounts/$id/balance == 200\" does not hold at n"), "\(result.details)")
        #expect(result.details.contains(": the sum is "))
        #expect(result.witness.contains { $0.hasPrefix("came in this turn: ") }, "\(result)")
        #expect(result.witness.contains { $0.contains("(c") }, "\(result.witness)")
        #expect(report.failureKind == .safety)

        // The reads of the last write missed another client's write.
        let cause = try #require(result.witness.first)
        #expect(cause.contains(" rests on “get /accounts/"), "\(result.witness)")
        #expect(cause.contains(" and missed n"), "\(result.witness)")
        let lines = Investigation.lines(of: racy, seed: report.seed, report: report)
        #expect(lines.contains { $0.contains(" issues: get /accounts/") }, "\(lines)")
        #expect(lines.contains { $0.contains(" issues: write /accounts") }, "\(lines)")
        #expect(
            lines.contains { $0.contains("> ") && $0.contains(", from reads that missed n") },
            "\(lines)")
    }

    @Test func `no fault after a failure explains it`() throws {
        let racy = try bank(
            "transfer /accounts/(a|b)/balance (1..9)",
            checks: "at 4s kill n2\nat 4500ms restart n2\n" + Self.sum)
        let report = try #require(
            (1...10).lazy.map { Simulation.run(racy, seed: $0) }.first { $0.verdict == .invalid })
        let time = try #require(report.checks.first?.moment?.time)
        #expect(time < .seconds(4))
        let lines = Investigation.lines(of: racy, seed: report.seed, report: report)
        #expect(!lines.contains { $0.contains("kill n2") }, "\(lines)")
    }

    @Test func `the same by transactions keeps the sum, at every node after every turn`() throws {
        let right = try bank(
            "transfer /accounts/(a|b)/balance (1..9) in-transaction\nmix 1 get /accounts",
            checks: Self.sum + "\ncheck every /accounts/$id/balance >= 0\ncheck stays-live")
        for seed in UInt64(1)...5 {
            let report = Simulation.run(right, seed: seed)
            #expect(report.verdict == .valid, "\(report.checks)")
        }
        var run = SimulatedRun(right, seed: 1)
        run.run()
        let moved = run.record.history.transactions.count {
            $0.outcome == .acknowledged && !$0.new.isNull
        }
        #expect(moved > 20, "\(moved) transfers were done")
    }

    @Test func `a transfer between places of the root writes both`() throws {
        let text = """
            load start.json
            clients count=1
            workload operations=30
            mix 1 transfer /(a|b) (1..9)
            until 4s
            check sum /$id == 200
            """
        let scenario = try Scenario(parsing: Array(text.utf8), name: "root") { _ in
            Array("{\"a\":100,\"b\":100}".utf8)
        }
        let report = Simulation.run(scenario, seed: 1)
        #expect(report.verdict == .valid, "\(report.checks)")
    }

    @Test func `what is loaded is in the tree of every node from its first turn`() throws {
        let scenario = try bank("get /accounts", checks: "check count /accounts == 2")
        let report = Simulation.run(scenario, seed: 1)
        #expect(report.verdict == .valid, "\(report.checks)")
        let wrong = try bank("get /accounts", checks: "check count /accounts == 3")
        let details = Simulation.run(wrong, seed: 1).checks.first?.details
        #expect(details?.contains(": /accounts has 2 children") == true, "\(details ?? "")")
    }

    @Test(arguments: ["replicas-equal", "every-turn-equals-oracle", "acknowledged-writes-survive"])
    func `checks of the cluster hold on loaded data`(check: String) throws {
        let scenario = try bank(
            "set /accounts/(a|b)/balance (1..9)",
            checks: "at 1s crash n1\nat 2s restart n1\nat 2s wipe n2\ncheck \(check)")
        let report = Simulation.run(scenario, seed: 3)
        #expect(report.verdict == .valid, "\(report.checks)")
    }

    @Test func `a violated invariant is what a shrunk scenario keeps`() throws {
        let racy = try bank(
            "transfer /accounts/(a|b)/balance (1..9)\nmix 1 get /accounts",
            checks: "check count /accounts == 2\n" + Self.sum)
        let seed = try #require(
            (UInt64(1)...10).first { Simulation.run(racy, seed: $0).verdict == .invalid })
        var shrinking = try #require(Shrinking(racy, seed: seed, .init(runs: 40)))
        _ = shrinking.step()
        #expect(shrinking.scenario.text.contains(Self.sum))
        #expect(!shrinking.scenario.text.contains("check count"))
        #expect(shrinking.scenario.text.contains("load accounts.json"))
        #expect(shrinking.isConfirmed)
    }

    @Test func `an expectation names what a node shows instead`() throws {
        let scenario = try Scenario(
            parsing: """
                cluster replicas=2 clients=1
                at 1s c1 set /a 5
                at 2s crash n2
                at 3s n1 reads /a expect 5
                at 3s n1 reads /a expect 6
                at 3s n2 reads /a expect 5
                until 4s
                check stays-live
                """, name: "expectations")
        let results = Simulation.run(scenario, seed: 1).checks
        let result = try #require(results.first { $0.check == .expectationsHold })
        #expect(result.verdict == .invalid)
        #expect(
            result.details
                == "\"n1 reads /a expect 6\" is not met: at 3.000000 s n1 shows 5; 1 more are not met"
        )
    }

    @Test func `clients do each request of a mix, as often as its weight says`() throws {
        let scenario = try Scenario(
            parsing: """
                workload operations=400
                mix 3 set /s/(a|b) ("x"|"y")
                mix 1 push /p {"n":(1..3)}
                mix 1 increment /i/(1..2) (1..5)
                mix 1 remove /s/a
                mix 2 get /s
                until 20s
                check replicas-equal
                """, name: "mix")
        var run = SimulatedRun(scenario, seed: 1)
        run.run()
        func count(_ isOne: (ClientOperation.Kind) -> Bool) -> Int {
            run.record.history.operations.count { isOne($0.kind) }
        }
        let gets = count { if case .get = $0 { true } else { false } }
        let pushes = count {
            if case .write(let path) = $0 { path.keys[0].text == "p" } else { false }
        }
        let increments = count {
            if case .write(let path) = $0 { path.keys[0].text == "i" } else { false }
        }
        #expect(run.record.history.operations.count == 400)
        #expect((70...130).contains(gets) && (25...80).contains(pushes), "\(gets) \(pushes)")
        #expect((25...80).contains(increments), "\(increments)")
    }
}
