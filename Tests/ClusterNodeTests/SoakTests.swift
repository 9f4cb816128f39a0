import Foundation
import Testing

/// Real nodes under real faults.
@Suite struct `A soak` {
    private static let seconds =
        ProcessInfo.processInfo.environment["HEARTH_SOAK_SECONDS"].flatMap { Int($0) } ?? 30

    @Test(.timeLimit(.minutes(15)))
    func `of five nodes that are killed, paused and robbed of their disks loses nothing`() throws {
        let outcome = try Program.hearth(
            "soak", "--nodes", "5", "--clients", "4", "--seconds", "\(Self.seconds)", "--bulk",
            "20000"
        ).end(within: Double(Self.seconds) + 180)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("ok  each acknowledged push is on every node"))
        // Faults are drawn each second or so: within so long, there are kills.
        let kills = outcome.output.firstMatch(of: /(\d+) kills/).flatMap { Int($0.1) }
        #expect((kills ?? 0) >= max(1, Self.seconds / 20), "\(outcome.output)")
        let repaired = outcome.output.firstMatch(of: /repaired (\d+) operations \((\d+) bytes\)/)
        #expect(Self.seconds < 60 || repaired.flatMap { Int($0.2) } ?? 0 > 0, "\(outcome.output)")
    }

    @Test(.timeLimit(.minutes(5)))
    func `with recorded turns passes the simulator's checks`() throws {
        let outcome = try Program.hearth(
            "soak", "--checks", "--nodes", "5", "--seconds", "20"
        ).end(within: 200)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        for check in ["causal-order", "stable-is-final", "write-concerns-hold", "restart-identity"]
        {
            #expect(outcome.output.contains("ok  \(check): "), "\(outcome.output)")
        }
    }
}
