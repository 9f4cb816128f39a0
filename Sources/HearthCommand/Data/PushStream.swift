internal import ClientCore
internal import DataTree
internal import EventLoop
internal import Hearth
internal import JSONText
internal import Threads

/// Pushes each line of standard input, many at a time, and prints the keys in order as they are
/// acknowledged.
///
/// The keys are made here, so that a push which is sent again after its node died is one push.
struct PushStream {
    private static let window = 4096

    private let path: Path
    private let client: NodeClient
    private let reader = JSONReader()
    private let acknowledgements = Monitor(Acknowledgements())

    init(to path: Path, by client: NodeClient) {
        self.path = path
        self.client = client
    }

    func run() throws(CommandError) -> ExitStatus {
        // From here on lost nodes are waited for: tell now if there is none at all.
        try client.requireNode()
        let interruption = try Interruption { StandardOutput.shared.flush() }
        defer { interruption.end() }
        var keys = PushIDGenerator()
        var random = SystemRandomNumberGenerator()
        var progress = Progress(of: nil, "pushed")
        var failure: CommandError?
        do throws(CommandError) {
            try InputFile.standardInput.forEachLine { number, line throws(CommandError) in
                if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
                    return true
                }
                let value = try parse(line, number)
                let key = keys.next(at: wallClockMilliseconds(), random: &random)
                let count = waitForRoom()
                progress.show(count)
                push(value, key, line: number)
                return acknowledgements.withLock { $0.failure } == nil
            }
        } catch {
            failure = error
        }
        progress.finish(waitForAll())
        StandardOutput.shared.flush()
        if let refusal = acknowledgements.withLock({ $0.failure }) { throw refusal }
        if let failure { throw failure }
        return .success
    }

    private func parse(_ line: [UInt8], _ number: Int) throws(CommandError) -> Value {
        let problem: CommandError
        do throws(JSONError) {
            let value = try reader.parse(line)
            if !value.isNull { return value }
            problem = nothingToPush("standard input, line \(number)")
        } catch {
            problem = CommandError(
                .badData,
                "standard input, line \(number), column \(error.column): \(error.problem)",
                fix: error.fix)
        }
        throw CommandError(
            problem.status, problem.problem, fix: problem.fix + "; the lines before it are pushed")
    }

    private func push(_ value: Value, _ key: Key, line: Int) {
        let number = acknowledgements.withLock { $0.begin(key, line: line) }
        client.connection.send(
            .put(path.appending(key), value), concern: client.concern
        ) { [acknowledgements] result in
            acknowledgements.withLock { $0.end(number, result) }
            acknowledgements.signal()
        }
    }

    /// Waits until another push may go, and tells how many are acknowledged.
    private func waitForRoom() -> Int {
        acknowledgements.wait { state in
            state.openCount < PushStream.window ? state.printedCount : nil
        }
    }

    private func waitForAll() -> Int {
        acknowledgements.wait { $0.openCount == 0 ? $0.printedCount : nil }
    }
}

/// Which pushes are acknowledged; their keys are printed in the order in which they were begun.
private struct Acknowledgements: Sendable {
    private var keys: [(key: Key, line: Int, isDone: Bool)] = []
    /// How many have left the front of `keys`.
    private var left = 0
    private var head = 0
    private(set) var printedCount = 0
    private(set) var failure: CommandError?

    var openCount: Int { keys.count - head }

    mutating func begin(_ key: Key, line: Int) -> Int {
        keys.append((key, line, false))
        return left + keys.count - 1
    }

    /// Takes an answer. A key that was refused is not printed.
    mutating func end(_ number: Int, _ result: Result<Answer, HearthError>) {
        keys[number - left].isDone = true
        if case .failure(let error) = result {
            failure = failure ?? refusal(error, of: keys[number - left].line)
            refused.append(number)
        }
        while head < keys.count, keys[head].isDone { printFirst() }
        if head == keys.count || head > 8192 {
            keys.removeFirst(head)
            left += head
            head = 0
        }
        if head == keys.count { StandardOutput.shared.flush() }
    }

    private func refusal(_ error: HearthError, of line: Int) -> CommandError {
        let refusal = CommandError(error)
        return CommandError(
            refusal.status, "standard input, line \(line): \(refusal.problem)",
            fix: refusal.fix + "; the lines whose keys are printed are pushed")
    }

    private var refused: [Int] = []

    private mutating func printFirst() {
        defer { head += 1 }
        if let index = refused.firstIndex(of: left + head) {
            refused.remove(at: index)
            return
        }
        StandardOutput.shared.print(keys[head].key.text)
        printedCount += 1
    }
}

func wallClockMilliseconds() -> UInt64 { Loop.wallClockMilliseconds }
