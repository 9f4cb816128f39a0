import SyncProtocol

extension Check {
    package static let nodesCatchUpBeforeService: Check = Check(
        "nodes-catch-up-before-service", judges: .nodes,
        claim: "a node with an empty disk serves once it has data",
        criterion: """
            a node that started on an empty disk serves once it holds everything that all others \
            had on their disks when the serving process began, whichever of its processes end \
            before (runs of up to 2,000 operations)
            """,
        evaluate: NodesCatchUpBeforeService.evaluate)
}

/// A node whose disk is lost serves once it holds everything that all other nodes had on their disks when the serving
/// process began.
enum NodesCatchUpBeforeService {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let recording = evidence.recording
        var recoveries = 0
        for service in recording.services {
            guard let began = recording.recovery(before: service) else { continue }
            // Another node without data may be the only one that this one has contact with.
            let others = recording.durable.indices.filter { $0 != service.node }
            guard !others.contains(where: { recording.isRecovering($0, until: service.time) })
            else { continue }
            recoveries += 1
            let held = others.compactMap { recording.durable(at: began, node: $0) }
            guard let missing = service.vector.firstMissing(ofAll: held) else { continue }
            return .invalid(
                "\(service.node.nodeName) served at \(service.time.description) without \(missing), which all others had "
                    + "on their disks as its process began at \(began.description)"
            ).at(service.time, node: service.node)
        }
        return .valid(
            recording.services.count,
            "starts of service, \(recoveries) of them after the loss of a disk")
    }
}

extension Recording {
    /// When the process began that a service is of, if a process of this node has found an empty disk since the service
    /// before; nil if none has.
    fileprivate func recovery(before service: Service) -> Microseconds? {
        let last = services.last { $0.node == service.node && $0.time < service.time }
        let begun = starts.filter {
            $0.node == service.node && $0.time > last?.time ?? 0 && $0.time <= service.time
        }
        return begun.contains { $0.vector.total == 0 } ? begun.last?.time : nil
    }

    /// Whether a node has found an empty disk before a time, and has not served until then.
    fileprivate func isRecovering(_ node: Int, until time: Microseconds) -> Bool {
        let found = starts.last { $0.node == node && $0.vector.total == 0 && $0.time <= time }
        guard let found else { return false }
        return !services.contains { $0.node == node && found.time...time ~= $0.time }
    }
}

extension VersionVector {
    /// The first operation that all of these vectors cover, and this one does not.
    fileprivate func firstMissing(ofAll vectors: [VersionVector]) -> Dot? {
        for (origin, _) in vectors.first?.advanced(beyond: self).entries ?? [] {
            let common = vectors.map { $0[origin] }.min() ?? 0
            if common > self[origin] { return Dot(origin: origin, sequence: self[origin] + 1) }
        }
        return nil
    }
}
