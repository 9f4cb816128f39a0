import Store

extension Replica {
    /// Continues with the result of a request to the store.
    mutating func receive(_ reply: StoreReply) {
        switch reply {
        case .batches(let batches, let read): send(batches, for: read)
        case .log(let batches, let isLast, let search):
            report(batches, isLast: isLast, for: search)
        case .checkpointed: checkpoints.finish(at: now.elapsedMilliseconds)
        case .rows(let chunk, let read): send(chunk, for: read)
        case .received: requestMoreRows()
        case .installed(let installed): install(installed)
        case .orphans(let batches): if lifecycle.keptOrphans() { replication.orphans = batches }
        }
    }
}
