internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import EventLoop
internal import JSONText
internal import Threads

/// Pushes each line of standard input, many at a time, and prints the keys in order as they are
/// acknowledged.
///
/// The keys are made here, so that a push that is repeated after its node died is still one push.
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
        // From here on the command waits for lost nodes, so it fails now if no node answers at all.
        try client.requireNode()
        StopRequest.watch()
        var progress = Progress(of: nil, "pushed")
        var silence = PushSilence(of: client)
        do throws(CommandError) {
            try pushLines(&progress, &silence)
            try waitUntil(&progress, &silence) { $0.openCount == 0 }
            client.reportEvicted()
            progress.finish(acknowledgements.withLock { $0.printedCount })
        } catch {
            // Waits a moment for open pushes, so that their keys are printed.
            if client.link.isServed {
                _ = acknowledgements.wait(upTo: .seconds(2)) { $0.openCount == 0 ? true : nil }
            }
            let ended = acknowledgements.withLock { $0 }
            progress.finish(ended.printedCount)
            StandardOutput.shared.flush()
            throw ended.report(error)
        }
        StandardOutput.shared.flush()
        return .success
    }

    private func pushLines(
        _ progress: inout Progress, _ silence: inout PushSilence
    ) throws(CommandError) {
        var keys = PushIDGenerator()
        var random = SystemRandomNumberGenerator()
        try InputFile.standardInput.forEachLine {
            () throws(CommandError) in
            try check(acknowledgements.withLock { $0 }, &silence)
        } _: { number, line throws(CommandError) in
            if line.allSatisfy({ $0 == UInt8(ascii: " ") }) { return true }
            let value: Value
            do throws(CommandError) {
                value = try parse(line, number)
            } catch {
                // Finishes the pushes begun before the wrong line.
                try waitUntil(&progress, &silence) { $0.openCount == 0 }
                throw error
            }
            let key = keys.next(at: Loop.wallClockMilliseconds, random: &random)
            try waitUntil(&progress, &silence) { $0.openCount < PushStream.window }
            push(value, key, line: number)
            return true
        }
    }

    /// Looks at the pushes so far, also while no line comes.
    ///
    /// - Throws: the first failure, an interrupt, or a timeout.
    private func check(
        _ state: Acknowledgements, _ silence: inout PushSilence
    ) throws(CommandError) {
        if let failure = state.failure { throw failure }
        if StopRequest.isThere { throw interrupted }
        try silence.check(answeredCount: state.answeredCount, openCount: state.openCount)
    }

    private var interrupted: CommandError {
        CommandError(
            .interrupted, "interrupted", fix: "push the remaining lines again")
    }

    private func parse(_ line: [UInt8], _ number: Int) throws(CommandError) -> Value {
        do throws(JSONError) {
            let value = try reader.parse(line)
            if !value.isNull { return value }
        } catch {
            throw CommandError(
                .badData,
                "standard input, line \(number), column \(error.column): \(error.problem)",
                fix: error.fix)
        }
        throw nothingToPush("standard input, line \(number)")
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

    /// Waits until enough pushes are acknowledged.
    ///
    /// - Throws: the first failure, an interrupt, or a timeout without an answer.
    private func waitUntil(
        _ progress: inout Progress, _ silence: inout PushSilence,
        _ isEnough: (Acknowledgements) -> Bool
    ) throws(CommandError) {
        while true {
            let now = acknowledgements.wait(upTo: NodeWait.slice) { state in
                state.failure != nil || isEnough(state) ? state : nil
            }
            let state = now ?? acknowledgements.withLock { $0 }
            progress.show(state.printedCount)
            try check(state, &silence)
            if now != nil { return }
        }
    }
}

/// The time since the nodes last served a stream of pushes: since the last answer, or since none of them is connected.
private struct PushSilence {
    private let client: NodeClient
    private var wait: NodeWait
    private var answeredCount = 0

    init(of client: NodeClient) {
        self.client = client
        wait = NodeWait(for: client.link, within: client.limit, concern: client.concern)
    }

    /// - Throws: if the silence is longer than the timeout of the command.
    mutating func check(answeredCount: Int, openCount: Int) throws(CommandError) {
        let isIdle = openCount == 0 && client.link.isServed
        if isIdle || answeredCount != self.answeredCount { wait.restart() }
        self.answeredCount = answeredCount
        if wait.isOver { throw openCount > 0 ? wait.timedOut() : unavailable }
        wait.report()
    }

    private var unavailable: CommandError {
        CommandError(
            .unavailable,
            "no node answers at \(client.link.allNames) for \(NodeWait.text(of: client.limit))",
            fix: "start a node, then push the remaining lines")
    }
}

/// The outcomes of pushes; their keys are printed in the order in which the pushes were begun.
private struct Acknowledgements: Sendable {
    private var keys: [(key: Key, line: Int, isDone: Bool)] = []
    /// How many keys have left the front of `keys`.
    private var left = 0
    private var head = 0
    private(set) var printedCount = 0
    private(set) var answeredCount = 0
    private(set) var failure: CommandError?

    var openCount: Int { keys.count - head }

    mutating func begin(_ key: Key, line: Int) -> Int {
        keys.append((key, line, false))
        return left + keys.count - 1
    }

    /// Records an answer. A key is printed unless its push was refused, or may have been.
    mutating func end(_ number: Int, _ result: Result<Answer, HearthError>) {
        answeredCount += 1
        keys[number - left].isDone = true
        if case .failure(let error) = result {
            failure = failure ?? refusal(error, of: keys[number - left].line)
            if error.effect != .done { refused.append(number) }
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
            refusal.status, "standard input, line \(line): \(refusal.problem)", fix: refusal.fix)
    }

    /// Why the pushes stopped, and which lines are pushed.
    func report(_ error: CommandError) -> CommandError {
        var problem = error.problem
        if let open = keys[head...].first(where: { !$0.isDone }) {
            problem +=
                "; line \(open.line) and those after it may have been pushed, \(openCount) at most"
        }
        return CommandError(
            error.status, problem, fix: error.fix + "; the lines whose keys are printed are pushed")
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
