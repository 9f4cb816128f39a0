internal import Dispatch
internal import Store
internal import SyncProtocol
internal import Threads

extension Decoding {
    /// Decoding on all processors: it is most of a start.
    static let concurrent = Decoding(
        rows: { rows in
            concurrently(rows) { row throws(FrameError) in try DecodedRow(row) }
        },
        batches: { batches, vector in
            concurrently(batches) { batch throws(FrameError) in
                try DecodedBatch(batch, coveredBy: vector)
            }
        })
}

/// Decodes on all processors, and returns the results in order.
func concurrently<Encoded: Sendable, Decoded: Sendable>(
    _ encoded: [Encoded], _ decode: @Sendable (Encoded) throws(FrameError) -> Decoded
) -> [Result<Decoded, FrameError>] {
    let decoded = Monitor([Result<Decoded, FrameError>?](repeating: nil, count: encoded.count))
    DispatchQueue.concurrentPerform(iterations: encoded.count) { index in
        let result = Result { () throws(FrameError) in try decode(encoded[index]) }
        decoded.withLock { $0[index] = result }
    }
    return decoded.withLock { $0.compactMap(\.self) }
}
