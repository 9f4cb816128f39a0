import ReplicaCore
import SyncProtocol

/// The stamps of all operations that were ever made.
struct StampIndex {
    private var stamps: [Dot: Stamp] = [:]
    /// The newest stamp up to each operation of an origin.
    private var newest: [Dot: Stamp] = [:]

    init(_ recording: Recording) {
        for issued in recording.issued.sorted(by: { $0.dot.sequence < $1.dot.sequence }) {
            let before = Dot(origin: issued.dot.origin, sequence: issued.dot.sequence - 1)
            stamps[issued.dot] = issued.operation.stamp
            newest[issued.dot] = max(newest[before] ?? .none, issued.operation.stamp)
        }
    }

    subscript(dot: Dot) -> Stamp? { stamps[dot] }

    func newest(in vector: VersionVector) -> Stamp? {
        vector.entries.compactMap { newest[Dot(origin: $0.origin, sequence: $0.sequence)] }.max()
    }
}
