internal import ClientCore
internal import DataTree
internal import JSONText

/// One write of a soak's client, and its outcome.
struct SoakRecord: Sendable {
    enum Work: Sendable {
        /// A child of the one list of all, with a key of its own.
        case push(Key)
        /// One more on the one counter of all.
        case increment
        /// The client's own place, with the record's number.
        case set
        /// Two places of the client's own, together, with the record's number.
        case pair
    }

    enum Outcome: String, Sendable {
        case open, acknowledged, failed, unknown
        /// It is done, and not known to be durable at its concern.
        case done
    }

    let client: Int
    /// The one node that can have answered a write with the concern `local`; nil for a write that is
    /// acknowledged once a majority has it.
    let node: String?
    /// Ascends by one for each write of a client.
    let number: Int
    let work: Work
    let invokedMilliseconds: Int
    var completedMilliseconds: Int?
    var outcome = Outcome.open

    mutating func complete(_ result: Result<Answer, HearthError>, at milliseconds: Int) {
        completedMilliseconds = milliseconds
        outcome =
            switch result {
            case .success: .acknowledged
            case .failure(let error):
                switch error.effect {
                case .none: .failed
                case .unknown: .unknown
                case .done: .done
                }
            }
    }

    /// The path and the value of the write.
    var writes: (path: Path, value: Value) {
        let number = Value.integer(Int64(number))
        switch work {
        case .push(let key): return (SoakPlaces.list.appending(key), value)
        case .increment:
            return (SoakPlaces.counter, .deferred(.increment(.integer(1))))
        case .set: return (SoakPlaces.own(client), number)
        case .pair:
            return (
                SoakPlaces.pair(client),
                .object(named: SoakPlaces.sides.map { ($0.text, number) })
            )
        }
    }

    /// The value of a pushed child.
    var value: Value {
        .object(named: [("client", .integer(Int64(client))), ("number", .integer(Int64(number)))])
    }

    /// One line of a history file.
    var json: String {
        let (path, _) = writes
        let place = JSONWriter.text(of: .string(path.description))
        let end = completedMilliseconds.map { String($0) } ?? "null"
        let holder = node.map { JSONWriter.text(of: .string($0)) } ?? "null"
        return #"{"node":\#(holder),"client":\#(client),"number":\#(number),"path":\#(place),"#
            + #""invoked":\#(invokedMilliseconds),"completed":\#(end),"outcome":"\#(outcome)"}"#
    }
}

extension SoakRecord: CustomStringConvertible {
    /// A line such as `client 3 push /soak/list/-Ox… invoked 120 ms, acknowledged 140 ms`.
    var description: String {
        let end = completedMilliseconds.map { " \($0) ms" } ?? ""
        let verb =
            switch work {
            case .push: "push"
            case .increment: "increment"
            case .set: "set"
            case .pair: "update"
            }
        return
            "client \(client) \(verb) \(writes.path) (\(number)) invoked \(invokedMilliseconds) ms, "
            + "\(outcome.rawValue)\(end)"
    }
}

/// The locations that a soak writes to.
enum SoakPlaces {
    static let root = Path([Key(unchecked: "soak")])
    static let list = root.appending(Key(unchecked: "list"))
    static let bulk = root.appending(Key(unchecked: "bulk"))
    static let counter = root.appending(Key(unchecked: "counter"))
    static let pairs = root.appending(Key(unchecked: "pairs"))
    /// The places of a pair.
    static let sides = [Key(unchecked: "a"), Key(unchecked: "b")]

    static func own(_ client: Int) -> Path { place("own", client) }
    static func pair(_ client: Int) -> Path { place("pairs", client) }

    private static func place(_ name: String, _ client: Int) -> Path {
        root.appending(Key(unchecked: name)).appending(Key(unchecked: "c\(client)"))
    }
}
