/// What checks that look on during a run have found: how often there was something to check, and the first error of each.
struct CheckTally {
    private(set) var counts: [Check: Int] = [:]
    private(set) var failures: [Check: String] = [:]

    mutating func count(_ check: Check) { counts[check, default: 0] += 1 }

    mutating func note(_ check: Check, _ problem: @autoclosure () -> String) {
        if failures[check] == nil { failures[check] = problem() }
    }
}
