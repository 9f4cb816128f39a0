import Foundation
import Testing

@Suite struct MutationTests {
    /// `HEARTH_HTTP_CASES` asks for more; `scripts/fuzz http` runs for as long as one likes, guided by coverage.
    static let cases = ProcessInfo.processInfo.environment["HEARTH_HTTP_CASES"].flatMap(Int.init)

    @Test(arguments: Mutations.usual)
    func `the requests that are mutated are right`(text: String) {
        #expect(Reading(text).requests.count == 2)
        #expect(Reading(text).failure == nil)
    }

    @Test func `whatever a client sends, the invariants hold`() {
        var mutations = Mutations(seed: 1)
        var accepted = 0
        for _ in 0..<(Self.cases ?? 20_000) {
            let bytes = mutations.next()
            if let violation = Invariants.violation(for: bytes) {
                Issue.record(
                    "\(violation): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
            }
            if Reading([bytes]).failure == nil { accepted += 1 }
        }
        // Both outcomes must be common, or the test says little.
        let total = Self.cases ?? 20_000
        #expect((total / 20...total * 19 / 20).contains(accepted))
    }
}
