import ReplicaCore
import SyncProtocol

extension Check {
    package static let restartIdentity: Check = Check(
        "restart-identity", judges: .nodes, guarantees: "D2",
        claim: "no sequence is used twice, no announced one is lost",
        criterion: """
            no sequence is used twice, and no node starts without the operations that it had \
            announced
            """,
        evaluate: RestartIdentity.evaluate)

    package static let stampsAscend: Check = Check(
        "stamps-ascend", judges: .nodes, guarantees: "H1",
        claim: "stamps ascend, and stay near the fastest clock",
        criterion: """
            the stamps of a node ascend, exceed everything that it holds, and are above its \
            announced closed timestamps; no stamp is ahead of the fastest clock, except after a \
            restart; a dense program stamps nothing behind the clock of its node
            """,
        evaluate: { MirrorChecks.failure(of: .stampsAscend, $0) ?? StampsAscend.evaluate($0) })
}

/// No sequence is used twice, and after its start a node holds all that it had announced.
enum RestartIdentity {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let recording = evidence.recording
        if let failure = recording.contradiction {
            return .invalid(
                "two batches have the place \(failure.dot)",
                "\(failure.first.time.description)  n\(failure.first.node + 1)  stored the first",
                "\(failure.second.time.description)  n\(failure.second.node + 1)  stored the second"
            ).at(failure.second.time, node: failure.second.node)
        }
        var issued: [Dot: Recording.Issued] = [:]
        for operation in recording.issued {
            if let first = issued[operation.dot], first.operation != operation.operation {
                return .invalid("two operations have one place", first.line, operation.line)
                    .at(operation)
            }
            issued[operation.dot] = operation
        }
        var writers: Set<WriterID> = []
        for start in recording.starts {
            let line = "\(start.time.description)  n\(start.node + 1)  starts as \(start.writer)"
            guard writers.insert(start.writer).inserted else {
                return .invalid("a node took itself for a writer that there was before", line)
                    .at(start.time, node: start.node)
            }
            // In the other modes a node may announce operations before they are on disk.
            guard evidence.scenario.cluster.durability == .commit, let before = start.before
            else { continue }
            let began = recording.starts.last {
                $0.node == start.node && $0.incarnation < start.incarnation
            }
            let lostDisk = evidence.losses.contains {
                $0.node == start.node && $0.until > began?.time ?? 0 && $0.until <= start.time
            }
            if lostDisk || start.vector.covers(before) { continue }
            return .invalid(
                "a node lost what it had told the others to hold",
                "\(line) with \(start.vector.line), and had announced \(before.line)"
            ).at(start.time, node: start.node)
        }
        let count = recording.starts.count { $0.before != nil }
        return .valid(count, "starts; \(issued.count) operations")
    }
}

/// The stamps of a node ascend and exceed everything that it holds. No stamp, not even a client's, is ahead of the
/// fastest clock, or at or below an announced closed timestamp.
///
/// A start may set a node's clock ahead of its wall clock, up to the bound that its predecessor stored, and
/// the clocks of its peers follow. A new coordinator of transactions may do so up to the ceiling of its
/// predecessor's lease.
enum StampsAscend {
    static func evaluate(_ evidence: Evidence) -> Finding {
        if let failure = failure(inOrderOf: evidence) ?? failure(inReachOf: evidence) {
            return failure
        }
        return .valid(evidence.recording.issued.count, "operations")
    }

    private static func failure(inOrderOf evidence: Evidence) -> Finding? {
        var last: [WriterID: Recording.Issued] = [:]
        for (index, issued) in evidence.recording.issued.enumerated() {
            let stamp = issued.operation.stamp
            let closed = evidence.recording.announcements.closed(
                by: issued.node, atOperation: index)
            if stamp.time <= closed, !evidence.hasForgotten(issued.node) {
                return .invalid(
                    "a node made an operation with a stamp up to \(closed.milliseconds), where it had said to make none",
                    issued.line
                ).at(issued)
            }
            let isOwn = stamp.writer == issued.dot.origin
            if isOwn, let before = last[issued.dot.origin], stamp <= before.operation.stamp {
                return .invalid("stamps of one writer do not ascend", before.line, issued.line)
                    .at(issued)
            }
            if isOwn { last[issued.dot.origin] = issued }
            if stamp.time.milliseconds > issued.limitMilliseconds + evidence.scenario.cluster.lease
                / 1_000
            {
                return .invalid(
                    "a stamp is ahead of every clock there is, of which the fastest shows at most "
                        + "\(issued.limitMilliseconds)", issued.line
                ).at(issued)
            }
        }
        return nil
    }

    private static func failure(inReachOf evidence: Evidence) -> Finding? {
        let stamps = StampIndex(evidence.recording)
        for operation in evidence.history.operations {
            for serving in operation.servings {
                guard let dot = serving.made, let stamp = stamps[dot], stamp.writer == dot.origin,
                    let newest = stamps.newest(in: serving.before), stamp <= newest
                else { continue }
                return .invalid(
                    "n\(serving.node + 1) held \(newest) when it made \(stamp)", operation.line
                ).at(serving.time, node: serving.node)
            }
        }
        return nil
    }
}

extension Evidence {
    /// Whether a node may have forgotten what it has said: it has lost data, or began again without a disk.
    fileprivate func hasForgotten(_ node: Int) -> Bool {
        losses.contains { $0.node == node }
            || scenario.cluster.durability == .memory
                && recording.starts.contains { $0.node == node && $0.incarnation > 1 }
    }
}
