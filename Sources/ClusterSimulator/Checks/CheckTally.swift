/// The findings of checks during a run: the number of comparisons, and the first violation of each check.
struct CheckTally {
    private(set) var counts: [Check: Int] = [:]
    private(set) var failures: [Check: String] = [:]

    mutating func count(_ check: Check) { counts[check, default: 0] += 1 }

    mutating func report(_ check: Check, _ problem: @autoclosure () -> String) {
        if failures[check] == nil { failures[check] = problem() }
    }
}
