internal import NodeCore
internal import ReplicaCore
internal import Store
internal import SyncProtocol

/// Logs changes of a node's state since the last call.
struct StateChangeLogger {
    private let log: NodeLog
    private var livePeers: [String] = []
    /// How many orphaned operations of this node were replayed or kept.
    private var handledOrphans: UInt64 = 0
    private var refusedCheckpoints: [String: UInt64] = [:]
    private var refusals = RefusalNews()
    private var differences: [TreeDifference] = []
    private var isShort = false
    private var evictions: EvictionLogger

    init(for log: NodeLog, about replica: borrowing Replica) {
        self.log = log
        evictions = EvictionLogger(of: log.member, knowing: replica.evictions)
    }

    func report(of input: Input) {
        switch input {
        case .storeReplied(.installed((let checkpoint, _)?)):
            log.write("installed a checkpoint of \(checkpoint.head.vector.total) operations")
        case .storeReplied(.orphans(let batches)):
            log.write(
                "keeps \(batches.count) orphaned batches, and will replay the operations that the others lack"
            )
        case .backedUp(let result, _, .none): report(ofCopy: result)
        default: break
        }
    }

    private func report(ofCopy copy: Result<String, BackupFailure>) {
        let loss = "its checkpoint has operations that the others lack and that it cannot replay"
        switch copy {
        case .success(let path): log.write("\(loss): a copy of it is \(path)", .warning)
        case .failure(let failure):
            log.write("\(loss), and there is no copy of it: \(failure.problem)", .error)
        }
    }

    mutating func report(of replica: borrowing Replica) {
        report(peers: replica.livePeers)
        report(ofRefused: replica.refusedCheckpoints)
        for line in refusals.lines(for: replica.refusedNodes) { log.write(line, .warning) }
        for line in evictions.lines(for: replica.evictions, isOut: replica.isOut) {
            log.write(line, .warning)
        }
        report(
            redone: replica.counters.replayed, kept: replica.counters.quarantined)
    }

    /// Logs the databases whose trees differ from those of other nodes, and those that are equal again.
    mutating func report(of differences: [TreeDifference]) {
        for difference in differences where !self.differences.contains(difference) {
            log.write(
                "\(log.member) and \(difference.member) show different data in the database "
                    + "\(difference.database), although they hold the same operations; "
                    + "`hearth cluster doctor` says how to repair it", .error)
        }
        for last in self.differences where !differences.contains(last) {
            log.write(
                "no longer differs from \(last.member) in the database \(last.database)", .warning)
        }
        self.differences = differences
    }

    /// Logs why the node takes no connections, or that it does again.
    mutating func report(ofShortage shortage: String?) {
        guard isShort != (shortage != nil) else { return }
        isShort.toggle()
        log.write(
            shortage.map {
                "accepts no connections: \($0); raise the limit (LimitNOFILE, ulimit -n)"
            }
                ?? "accepts connections again", .warning)
    }

    private mutating func report(peers: [String]) {
        for peer in peers where !livePeers.contains(peer) { log.write("has contact with \(peer)") }
        for peer in livePeers where !peers.contains(peer) {
            log.write("lost contact with \(peer)", .warning)
        }
        livePeers = peers
    }

    private mutating func report(ofRefused checkpoints: [String: UInt64]) {
        guard checkpoints != refusedCheckpoints else { return }
        let added = checkpoints.filter { refusedCheckpoints[$0.key] == nil }
        for (peer, count) in added.sorted(by: { $0.key < $1.key }) {
            log.write(
                "does not install the checkpoint of \(peer), which lacks \(count) operations that its own log "
                    + "no longer has; `hearth cluster doctor` says whether to do something",
                .warning)
        }
        refusedCheckpoints = checkpoints
    }

    private mutating func report(redone: UInt64, kept: UInt64) {
        guard redone + kept > handledOrphans else { return }
        handledOrphans = redone + kept
        log.write(
            "has replayed \(redone) of its orphaned operations, and stored \(kept) under "
                + "/_conflicts/\(log.member)", .warning)
    }
}
