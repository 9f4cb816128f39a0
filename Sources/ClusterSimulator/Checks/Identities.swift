import ReplicaCore
import SyncProtocol

/// No sequence is used twice, and a node holds after its start what it had told others to hold.
enum RestartIdentity {
    static func judge(_ evidence: Evidence) -> Finding {
        let recording = evidence.recording
        if let flaw = recording.contradiction {
            return .invalid(
                "two batches have the place \(flaw.dot)",
                "\(flaw.first.time.description)  n\(flaw.first.node + 1)  stored the first",
                "\(flaw.second.time.description)  n\(flaw.second.node + 1)  stored the second")
        }
        var issued: [Dot: Recording.Issued] = [:]
        for operation in recording.issued {
            if let first = issued[operation.dot], first.operation != operation.operation {
                return .invalid("two operations have one place", first.line, operation.line)
            }
            issued[operation.dot] = operation
        }
        var writers: Set<WriterID> = []
        for start in recording.starts {
            let line = "\(start.time.description)  n\(start.node + 1)  starts as \(start.writer)"
            guard writers.insert(start.writer).inserted else {
                return .invalid("a node took itself for a writer that there was before", line)
            }
            // In the other modes a node may say what it has before that is on disk.
            guard evidence.scenario.cluster.durability == .commit, let before = start.before
            else { continue }
            let began = recording.starts.last { $0.node == start.node && $0.life < start.life }
            let lostDisk = evidence.losses.contains {
                $0.node == start.node && $0.until > began?.time ?? 0 && $0.until <= start.time
            }
            if lostDisk || start.vector.covers(before) { continue }
            return .invalid(
                "a node lost what it had told the others to hold",
                "\(line) with \(start.vector.line), and had announced \(before.line)")
        }
        let count = recording.starts.count { $0.before != nil }
        return .valid(count, "starts; \(issued.count) operations")
    }
}

/// Stamps ascend at each node, but for those that clients have made, exceed all that it held, and stay near the fastest clock.
enum StampsAscend {
    /// How far a start may take a node's stamps ahead of its clock: as far as the bound that the
    /// process before left on disk.
    private static let startMilliseconds: UInt64 = 3_000

    static func judge(_ evidence: Evidence) -> Finding {
        var last: [WriterID: Recording.Issued] = [:]
        for issued in evidence.recording.issued {
            let stamp = issued.operation.stamp
            let isOwn = stamp.writer == issued.dot.origin
            if isOwn, let before = last[issued.dot.origin], stamp <= before.operation.stamp {
                return .invalid("stamps of one writer do not ascend", before.line, issued.line)
            }
            if isOwn { last[issued.dot.origin] = issued }
            let limit =
                issued.latestWallMilliseconds + UInt64(issued.starts) * startMilliseconds
            if stamp.time.milliseconds > limit {
                return .invalid(
                    "a stamp is ahead of every clock there is, of which the fastest shows "
                        + "\(issued.latestWallMilliseconds)", issued.line)
            }
        }
        return .valid(evidence.recording.issued.count, "operations")
    }
}
