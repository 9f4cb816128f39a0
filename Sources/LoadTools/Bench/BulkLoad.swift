internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import Randomness
internal import SyncProtocol
internal import TLS

/// Fills a list at one node: merges of a thousand records, several of which are under way at once.
struct BulkLoad {
    let list: Path
    let records: Int

    private static let recordsPerMerge = 1_000
    private static let mergesUnderWay = 4
    private static let patienceNanoseconds: UInt64 = 60_000_000_000

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
            acknowledged += try acknowledgements(at: socket)
            progress(min(records, acknowledged * Self.recordsPerMerge))
        }
    }

    /// Waits for the next acknowledgements, and counts them.
    private func acknowledgements(at socket: NodeSocket) throws(CommandError) -> Int {
        let start = monotonicNanoseconds()
        var count = 0
        var refusal: CommandError?
        while count == 0, refusal == nil {
            try StopRequest.check()
            guard monotonicNanoseconds() - start < Self.patienceNanoseconds,
                socket.receive({ frame in
                    for case .message(let answer) in frame.messages(of: NodeMessage.self) {
                        switch answer {
                        case .ok(let id) where id > 0: count += 1
                        case .error(_, _, let problem, let fix):
                            refusal = CommandError(.unavailable, problem, fix: fix)
                        default: break
                        }
                    }
                })
            else { throw Self.failure }
            if count == 0 { socket.waitForInput(milliseconds: 100) }
        }
        if let refusal { throw refusal }
        return count
    }

    private static let failure = CommandError(
        .unavailable, "a node does not acknowledge the records of the benchmark",
        fix: "look at the logs of the nodes with `hearth cluster logs`")
}

extension NodeSocket {
    /// Waits until there is something to receive.
    func waitForInput(milliseconds: Int32) {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }
}
