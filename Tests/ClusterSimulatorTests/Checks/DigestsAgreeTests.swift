import Testing

@testable import ClusterSimulator

@Suite struct DigestsAgreeTests {
    @Test func `each difference that a node finds is a violation`() {
        let finding = DigestsAgree.finding(in: [("n1", 4, 0), ("n2", 4, 1)])
        #expect(finding.verdict == .invalid)
        #expect(finding.details.hasPrefix("n2 found 1 of 4 trees"))
    }

    @Test func `comparisons without a difference are valid, and none are unknown`() {
        #expect(DigestsAgree.finding(in: [("n1", 4, 0), ("n2", 3, 0)]).details.hasPrefix("7 "))
        #expect(DigestsAgree.finding(in: [("n1", 0, 0)]).verdict == .unknown)
    }
}
