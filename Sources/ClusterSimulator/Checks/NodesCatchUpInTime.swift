/// A node that can ask another one soon holds all that the other one has made.
enum NodesCatchUpInTime {
    static func judge(_ evidence: Evidence) -> Finding {
        guard let watch = evidence.catchingUp else { return .unknown("nobody watched") }
        if let failure = watch.failure { return .invalid(failure) }
        return .valid(watch.count, "looks at nodes that could ask each other for long")
    }
}
