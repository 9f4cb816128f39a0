internal import DataTree

/// One answered read by a soak's client of the place that it alone writes to.
struct SoakRead: Sendable {
    let client: Int
    let invokedMilliseconds: Int
    let completedMilliseconds: Int
    /// The number of the write that it found; nil if it found none.
    let found: Int?

    /// One line of a history file.
    var json: String {
        let found = found.map { String($0) } ?? "null"
        return #"{"client":\#(client),"read":\#(found),"invoked":\#(invokedMilliseconds),"#
            + #""completed":\#(completedMilliseconds)}"#
    }
}

extension SoakRead: CustomStringConvertible {
    var description: String {
        "client \(client) read \(found.map { String($0) } ?? "nothing") at \(SoakPlaces.own(client)), "
            + "invoked \(invokedMilliseconds) ms, completed \(completedMilliseconds) ms"
    }
}

/// The session guarantees of the simulator's checks while clients move from node to node, judged by the
/// ascending numbers that each client writes to its own place.
struct SoakSessions {
    /// A number that a read must show once this is completed.
    private struct Floor {
        let milliseconds: Int
        let number: Int
        let cause: String
    }

    let records: [SoakRecord]
    let reads: [SoakRead]

    /// The reads that showed less than their client had written; and how many followed a write.
    func readYourWrites() -> (count: Int, witness: String?) {
        evaluate { client in
            records.compactMap { record in
                guard record.client == client, case .set = record.work,
                    record.outcome == .acknowledged, let completed = record.completedMilliseconds
                else { return nil }
                return Floor(milliseconds: completed, number: record.number, cause: "\(record)")
            }
        }
    }

    /// The reads that showed less than an earlier one; and how many followed a read.
    func monotonicReads() -> (count: Int, witness: String?) {
        evaluate { client in
            reads.compactMap { read in
                guard read.client == client, let found = read.found else { return nil }
                return Floor(
                    milliseconds: read.completedMilliseconds, number: found, cause: "\(read)")
            }
        }
    }

    private func evaluate(_ floors: (_ client: Int) -> [Floor]) -> (count: Int, witness: String?) {
        var count = 0
        for client in Set(reads.map(\.client)).sorted() {
            var floors = floors(client).sorted { $0.milliseconds < $1.milliseconds }[...]
            var highest: Floor?
            let reads = reads.filter { $0.client == client }
            for read in reads.sorted(by: { $0.invokedMilliseconds < $1.invokedMilliseconds }) {
                while let floor = floors.first, floor.milliseconds < read.invokedMilliseconds {
                    floors.removeFirst()
                    if floor.number > highest?.number ?? -1 { highest = floor }
                }
                guard let highest else { continue }
                count += 1
                if read.found ?? -1 < highest.number {
                    return (count, "\(read), after: \(highest.cause)")
                }
            }
        }
        return (count, nil)
    }
}
