import Testing

@testable import ClusterSimulator

/// The kind of a failure names the violated check.
@Suite struct FailureKindTests {
    private func kind(
        of failed: [Check], hasConverged: Bool = true, failure: String? = nil
    ) -> FailureKind? {
        let checks = failed.map { CheckResult(check: $0, verdict: .invalid, details: "") }
        let held = CheckResult(check: .pushKeys, verdict: .valid, details: "")
        return SimulationReport(
            scenario: "", seed: 1,
            verdict: failed.isEmpty && failure == nil ? .valid : .invalid, traceHash: 0, events: 0,
            simulatedSeconds: 0, hasConverged: hasConverged, failure: failure,
            checks: [held] + checks, statistics: SimulationStatistics()
        ).failureKind
    }

    @Test(
        arguments: [
            ([], nil),
            ([.readYourWrites], .safety),
            ([.staysLive], .liveness),
            ([.oneOfAName], .liveness),
            ([.writeConcernsHold], .durability),
            ([.replicasEqual, .acknowledgedWritesSurvive], .durability),
            ([.staysLive, .replicasEqual], .safety),
        ] as [([Check], FailureKind?)])
    func `the worst failed check decides`(failed: [Check], expected: FailureKind?) {
        #expect(kind(of: failed) == expected)
    }

    @Test func `where the cluster did not come to rest, what is there in the end proves nothing`() {
        let end: [Check] = [.staysLive, .replicasEqual, .acknowledgedWritesSurvive]
        #expect(kind(of: end, hasConverged: false) == .liveness)
        #expect(kind(of: end + [.causalOrder], hasConverged: false) == .durability)
        #expect(kind(of: [.staysLive, .causalOrder], hasConverged: false) == .safety)
        #expect(kind(of: [.replicasEqual], hasConverged: false) == .liveness)
    }

    @Test func `a failure of the run itself is one of safety, unless writes are lost`() {
        #expect(kind(of: [], failure: "n1 gives up") == .safety)
        #expect(kind(of: [.staysLive], hasConverged: false, failure: "n1 gives up") == .safety)
        #expect(kind(of: [.acknowledgedPushes], failure: "n1 gives up") == .durability)
    }
}
