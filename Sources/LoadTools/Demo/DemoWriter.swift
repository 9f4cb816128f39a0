internal import ClientConnection
internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import EventLoop
internal import Threads

/// A client that pushes to a list, many at a time, and records the acknowledged keys.
///
/// When its node dies it goes on at the next one; a push that is sent again is still one push.
final class DemoWriter: Sendable {
    private struct State: Sendable {
        var keys = PushIDGenerator()
        var random = SystemRandomNumberGenerator()
        var allowed = 0
        var begun = 0
        var open = 0
        var acknowledged: [Key] = []
        var failure: CommandError?
    }

    private static let window = 200

    private let name: String
    private let list: Path
    private let connection: Connection
    private let state = Monitor(State())

    init(
        _ name: String, through nodes: [Cluster.Node], to list: Path
    ) throws(CommandError) {
        self.name = name
        self.list = list
        do throws(HearthError) {
            connection = try Connection(nodes: nodes.map(\.client))
        } catch {
            throw CommandError(error)
        }
    }

    /// Pushes until it has made this many pushes in all; each answer makes room for another.
    func push(upTo count: Int) {
        state.withLock { $0.allowed = max($0.allowed, count) }
        pushAllowed()
    }

    func stop() { connection.close() }

    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }
    var failure: CommandError? { state.withLock { $0.failure } }
    var acknowledgedKeys: [Key] { state.withLock { $0.acknowledged } }

    private func pushAllowed() {
        while let (number, key) = beginNext() {
            var message = Children()
            message[Key(unchecked: "from")] = .string(name)
            message[Key(unchecked: "number")] = .integer(Int64(number))
            connection.send(.put(list.appending(key), Value(message))) { [self] result in
                state.withLock { state in
                    state.open -= 1
                    switch result {
                    case .success: state.acknowledged.append(key)
                    case .failure(let error): state.failure = CommandError(error)
                    }
                }
                pushAllowed()
            }
        }
    }

    private func beginNext() -> (number: Int, key: Key)? {
        state.withLock { state in
            guard state.begun < state.allowed, state.open < DemoWriter.window else { return nil }
            state.begun += 1
            state.open += 1
            let key = state.keys.next(at: Loop.wallClockMilliseconds, random: &state.random)
            return (state.begun, key)
        }
    }
}
