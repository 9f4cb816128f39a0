import ClientCore
import DataTree
import ReplicaCore
import SyncProtocol

/// Moves an amount between two places, if there is enough: what banks do, and what programs get wrong.
struct Transfer: Sendable {
    enum Way: String, Sendable {
        /// Reads both places, then writes both: another client may write in between.
        case reading
        /// One transaction on the place above both.
        case transaction = "in-transaction"
    }

    /// How often a second place is drawn until it is another one.
    private static let attempts = 16

    let from: Path
    let to: Path
    let amount: Number
    /// The values of the locations that have been read.
    private var read: [Value] = []

    private init(from: Path, to: Path, _ amount: Number) {
        self.from = from
        self.to = to
        self.amount = amount
    }

    /// Draws two places that do not contain each other, and an amount.
    static func draw(
        _ place: TextTemplate, _ amount: TextTemplate, _ random: inout SplitMix64
    ) -> Transfer? {
        guard let from = place.path(&random), let amount = amount.value(&random)?.number else {
            return nil
        }
        for _ in 0..<attempts {
            guard let to = place.path(&random) else { return nil }
            if !to.contains(from), !from.contains(to) {
                return Transfer(from: from, to: to, amount)
            }
        }
        return nil
    }

    /// The place above both.
    var above: Path {
        Path(zip(from.keys, to.keys).prefix { $0 == $1 }.map { $0.0 })
    }

    /// Its first request.
    func request(_ way: Way) -> Workload.Request {
        var request = Workload.Request(kind: .get(from), writes: [], path: from)
        request.transfer = (self, way)
        return request
    }

    // MARK: By reading

    /// A place was read: the first, then the second.
    mutating func read(_ value: Value) { read.append(value) }

    /// The request that comes next; nil if there is not enough to move.
    var next: Workload.Request? {
        guard read.count == 2 else {
            let path = read.isEmpty ? from : to
            return Workload.Request(kind: .get(path), writes: [], path: path)
        }
        guard let (left, right) = moved(read[0], read[1]) else { return nil }
        let writes = [
            Write(path: from.relative(to: above), value: left),
            Write(path: to.relative(to: above), value: right),
        ]
        return Workload.Request(kind: .write(above), writes: writes, path: above)
    }

    /// Whether the next request is the last.
    var isLast: Bool { read.count == 2 }

    // MARK: In a transaction

    /// The result of the transaction's function for the location above both.
    func result(on value: Value) -> TransactionResult {
        // The library guesses first what is there: without a listen, nothing.
        if value.isNull { return .value(.null) }
        let (source, target) = (from.relative(to: above), to.relative(to: above))
        guard let (left, right) = moved(value[source], value[target]) else { return .abort }
        var new = value
        new.set(left, at: source)
        new.set(right, at: target)
        return .value(new)
    }

    /// The values of the two locations afterwards; nil if the first has too little.
    private func moved(_ source: Value, _ target: Value) -> (Value, Value)? {
        let (held, other) = (source.number ?? .integer(0), target.number ?? .integer(0))
        guard held.asDouble >= amount.asDouble else { return nil }
        if case .integer(let held) = held, case .integer(let other) = other,
            case .integer(let amount) = amount
        {
            let (left, low) = held.subtractingReportingOverflow(amount)
            let (right, high) = other.addingReportingOverflow(amount)
            return low || high ? nil : (.integer(left), .integer(right))
        }
        return (
            Number.double(held.asDouble - amount.asDouble).value,
            Number.double(other.asDouble + amount.asDouble).value
        )
    }
}
