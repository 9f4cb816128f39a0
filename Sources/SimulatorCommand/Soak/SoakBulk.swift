internal import ClientConnection
internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import LoadTools
internal import Randomness
internal import ReplicaCore
internal import Sockets
internal import SyncProtocol
internal import Threads

/// Records that all nodes hold before the first fault, and the readers that look for them during the faults.
///
/// A node whose disk is lost gets them again, which takes so long that faults meet it before it has all of them. No
/// node may serve until then, so each answered read has to show its record.
final class SoakBulk {
    fileprivate struct State: Sendable {
        var count = 0
        var witness: String?
        var hasEnded = false
    }

    private static let recordsInWrite = 5_000
    /// The time between two reads at one node.
    private static let paceMilliseconds: UInt32 = 10

    private let count: Int
    private let state = Monitor(State())
    private var readers: [SystemThread] = []

    init(of count: Int) { self.count = count }

    /// Writes the records, and waits until all nodes show the last one: a node that shows it holds all that were written before.
    func load(into nodes: [Cluster.Node]) throws(CommandError) {
        let client = try NodeClient(nodes: nodes.map(\.client), within: .seconds(60))
        var progress = Progress(of: count, "records")
        for first in stride(from: 0, to: count, by: SoakBulk.recordsInWrite) {
            try StopRequest.check()
            let part = first..<min(count, first + SoakBulk.recordsInWrite)
            let writes = part.map { Write(path: Path([SoakBulk.key($0)]), value: .record($0)) }
            try client.merge(writes, at: SoakPlaces.bulk)
            progress.show(part.upperBound)
        }
        progress.finish(count)
        for node in nodes { try waitUntilLastRecordShows(at: node) }
    }

    private func waitUntilLastRecordShows(at node: Cluster.Node) throws(CommandError) {
        let last = count - 1
        let path = SoakPlaces.bulk.appending(SoakBulk.key(last))
        let deadline = ContinuousClock.now + .seconds(60)
        guard let address = HTTPAddress(node.client) else { return }
        while StatusProbe().value(at: path, of: address, within: .seconds(1)) != .record(last) {
            try StopRequest.check()
            guard .now < deadline else {
                throw CommandError(
                    .unavailable, "\(node.id) does not have the records after a minute",
                    fix: "load fewer with --bulk, or run the soak on a machine that does less")
            }
            pause(milliseconds: 50)
        }
    }

    /// Reads records that are drawn, at each node, until `end`.
    func beginReading(at nodes: [Cluster.Node], seed: UInt64, since start: ContinuousClock.Instant)
    {
        for (index, node) in nodes.enumerated() {
            guard let address = HTTPAddress(node.client) else { continue }
            var random = SplitMix64(seed: seed &+ UInt64(index))
            let (state, count) = (state, count)
            let reader = SystemThread {
                while !state.withLock({ $0.hasEnded }) {
                    let number = Int.random(in: 0..<count, using: &random)
                    let time = "\(Int(start.duration(to: .now) / .milliseconds(1))) ms"
                    let path = SoakPlaces.bulk.appending(SoakBulk.key(number))
                    let value = StatusProbe().value(at: path, of: address, within: .seconds(1))
                    if let value { state.withLock { $0.add(value, number, of: node.id, at: time) } }
                    pause(milliseconds: SoakBulk.paceMilliseconds)
                }
            }
            if let reader { readers.append(reader) }
        }
    }

    /// Ends the readers; returns what they found.
    func end() -> SoakCheck.Finding {
        state.withLock { $0.hasEnded = true }
        for reader in readers { reader.join() }
        let (count, witness) = state.withLock { ($0.count, $0.witness) }
        return .of(
            "a node that serves shows what all nodes had before the faults", count, "reads",
            unless: witness)
    }

    private static func key(_ number: Int) -> Key { Key(unchecked: "r\(number)") }
}

extension SoakBulk.State {
    fileprivate mutating func add(
        _ value: Value, _ number: Int, of node: String, at time: String
    ) {
        count += 1
        if value != .record(number), witness == nil {
            witness = "\(node) showed \(value.shortText) as record \(number) at \(time)"
        }
    }
}

extension Value {
    /// The record of a number.
    fileprivate static func record(_ number: Int) -> Value {
        .object(named: [
            ("number", .integer(Int64(number))), ("text", .string("the text of a record")),
        ])
    }
}
