internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Randomness
internal import SyncProtocol
internal import TLS

/// Fills a list at one node: merges of a thousand records, several of which are under way at once.
struct BulkLoad {
    let list: Path
    let records: Int

    private static let recordsPerMerge = 1_000
    private static let mergesUnderWay = 4

    /// Writes all records, and returns once the node has acknowledged them.
    ///
    /// - Parameter record: Returns the record of a number.
    func run(
        at node: String, showing secret: Secret? = nil, progress: (Int) -> Void = { _ in },
        record: (Int) -> Value
    ) throws(CommandError) {
        let socket = try NodeSocket(loading: node, showing: secret)
        var random = SplitMix64(seed: 1)
        var keys = PushIDGenerator()
        var (sent, merges, acknowledged) = (0, 0, 0)
        while sent < records || acknowledged < merges {
            while sent < records, merges - acknowledged < Self.mergesUnderWay {
                var writes: [Write] = []
                for number in sent..<min(records, sent + Self.recordsPerMerge) {
                    let key = keys.next(at: 1_700_000_000_000 + UInt64(number), random: &random)
                    writes.append(Write(path: Path([key]), value: record(number)))
                }
                sent += writes.count
                merges += 1
                socket.send(
                    ClientMessage.merge(id: UInt64(merges), path: list, writes: writes).frame)
            }
            acknowledged += try socket.acknowledgements()
            progress(min(records, acknowledged * Self.recordsPerMerge))
        }
    }
}
