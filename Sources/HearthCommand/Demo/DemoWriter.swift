internal import ClientCore
internal import DataTree
internal import Hearth
internal import Threads

/// A client that pushes to a list, many at a time, and remembers what was acknowledged.
///
/// When its node dies it goes on at the next one; a push that is sent again is still one push.
final class DemoWriter: Sendable {
    private struct State: Sendable {
        var keys = PushIDGenerator()
        var begun = 0
        var open = 0
        var acknowledged: [Key] = []
        var failure: CommandError?
    }

    private static let window = 200

    private let name: String
    private let list: Path
    private let count: Int
    private let connection: Connection
    private let state = Monitor(State())

    init(_ name: String, through nodes: [String], to list: Path, count: Int) throws(CommandError) {
        self.name = name
        self.list = list
        self.count = count
        do throws(HearthError) {
            connection = try Connection(nodes: nodes)
        } catch {
            throw CommandError(error)
        }
    }

    /// Begins to push; each answer makes room for another.
    func start() {
        for _ in 0..<DemoWriter.window { pushNext() }
    }

    func stop() { connection.close() }

    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }
    var failure: CommandError? { state.withLock { $0.failure } }

    /// The keys that were acknowledged, in the order in which they were made.
    func acknowledgedKeys() -> [Key] { state.withLock { $0.acknowledged.sorted() } }

    private func pushNext() {
        let next: (number: Int, key: Key)? = state.withLock { state in
            guard state.begun < count else { return nil }
            state.begun += 1
            var random = SystemRandomNumberGenerator()
            return (state.begun, state.keys.next(at: wallClockMilliseconds(), random: &random))
        }
        guard let next else { return }
        var message = Children()
        message[Key(unchecked: "from")] = .string(name)
        message[Key(unchecked: "number")] = .integer(Int64(next.number))
        connection.send(.put(list.appending(next.key), Value(message))) { [self] result in
            state.withLock { state in
                switch result {
                case .success: state.acknowledged.append(next.key)
                case .failure(let error): state.failure = CommandError(error)
                }
            }
            pushNext()
        }
    }
}
