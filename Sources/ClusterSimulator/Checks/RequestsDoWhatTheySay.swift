/// Requests to copies of nodes' replicas, where nothing else happens, do what they would do to one database alone.
enum RequestsDoWhatTheySay {
    static func judge(_ evidence: Evidence) -> Finding {
        if let failure = evidence.probes.failure ?? evidence.frameProbes.failure {
            return .invalid(failure)
        }
        return .valid(evidence.probes.count, "requests to copies of replicas")
    }
}
