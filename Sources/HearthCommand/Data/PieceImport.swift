internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import SyncProtocol
internal import Threads

/// Writes a large value in pieces: the first replaces what was there, the others add to it.
///
/// Listeners see the value grow. However it ends, it reports what the place then holds.
struct PieceImport {
    private static let piecesInFlight = 8

    private let pieces: ValuePieces
    private let target: ImportTarget
    private let client: NodeClient
    private let state: Monitor<PieceImportState>

    init(of value: Value, to target: ImportTarget, by client: NodeClient) {
        pieces = ValuePieces(of: value)
        state = Monitor(PieceImportState(sizes: pieces.sizes))
        self.target = target
        self.client = client
    }

    func run() throws(CommandError) {
        var progress = Progress(of: pieces.sizes.reduce(0, +), ProgressLine.bytes)
        do throws(CommandError) {
            for index in pieces.pieces.indices {
                // The first piece must have replaced the old value before others are added.
                let room = index == 1 ? 1 : PieceImport.piecesInFlight
                try wait(&progress) { $0.openCount < room }
                send(index)
            }
            try wait(&progress) { $0.openCount == 0 }
        } catch {
            progress.finish(state.withLock { $0.doneBytes })
            awaitOpenPieces()
            throw state.withLock { $0.report(error, target) }
        }
        progress.finish(state.withLock { $0.doneBytes })
    }

    private func send(_ index: Int) {
        let piece = pieces.pieces[index]
        let work: Request.Work =
            index == 0
            ? .put(target.path, ValuePieces.value(of: piece)) : .merge(target.path, piece)
        state.withLock { $0.begin() }
        client.connection.send(work) { [state] result in
            state.withLock { $0.end(index, result) }
            state.signal()
        }
    }

    /// Waits until there are enough answers.
    ///
    /// - Throws: the first failure, an interrupt, or a timeout without an answer.
    private func wait(
        _ progress: inout Progress, _ isEnough: @escaping (PieceImportState) -> Bool
    ) throws(CommandError) {
        var wait = NodeWait(for: client.link, within: client.limit)
        var answered = state.withLock { $0.answeredCount }
        while true {
            let now = state.wait(upTo: NodeWait.slice) { state in
                state.failure != nil || isEnough(state) ? state : nil
            }
            if let failure = now?.failure { throw CommandError(failure) }
            progress.show(state.withLock { $0.doneBytes })
            if StopRequest.isThere { throw wait.interrupted(isWrite: true) }
            if now != nil { return }
            if state.withLock({ $0.answeredCount }) != answered { wait.restart() }
            answered = state.withLock { $0.answeredCount }
            if wait.isOver { throw wait.timedOut() }
            wait.report()
        }
    }

    /// Waits a moment for the answers of open pieces, so that the report can count them.
    private func awaitOpenPieces() {
        _ = state.wait(upTo: min(client.limit, .seconds(2))) { $0.openCount == 0 ? true : nil }
    }
}

/// The outcomes of all pieces.
struct PieceImportState: Sendable {
    private let sizes: [Int]
    private var begunCount = 0
    private(set) var answeredCount = 0
    private var doneCount = 0
    private(set) var doneBytes = 0
    private(set) var failure: HearthError?

    init(sizes: [Int]) { self.sizes = sizes }

    var openCount: Int { begunCount - answeredCount }

    mutating func begin() { begunCount += 1 }

    mutating func end(_ index: Int, _ result: Result<Answer, HearthError>) {
        answeredCount += 1
        switch result {
        case .success:
            doneCount += 1
            doneBytes += sizes[index]
        case .failure(let error): failure = failure ?? error
        }
    }

    /// Why the import stopped, and what the place holds now.
    func report(_ error: CommandError, _ target: ImportTarget) -> CommandError {
        let reason = error.status == .interrupted ? "interrupted" : error.problem
        // A piece without an answer, or with an unknown outcome.
        let unknownCount = openCount + (failure?.effect == .unknown ? 1 : 0)
        guard doneCount + unknownCount > 0 else {
            return CommandError(
                error.status, "\(reason); nothing was changed at \(target.path)",
                fix: error.status == .interrupted ? "repeat the import later" : error.fix)
        }
        let done = "\(doneCount) of \(sizes.count) pieces"
        let bytes = "\(megabytes(doneBytes)) of \(megabytes(sizes.reduce(0, +))) MB"
        var present = "\(target.path) holds \(done) (\(bytes)) of \(target.source)"
        if doneCount == 0 {
            present = "\(target.path) may have its previous value, or a part of \(target.source)"
        } else {
            if unknownCount > 0 { present += ", and perhaps \(unknownCount) more" }
            if !target.isEmpty { present += "; the previous value is lost" }
        }
        return CommandError(
            error.status, "\(reason); \(present)",
            fix: "repeat the import with --replace, or remove the value with "
                + "`hearth remove \(target.path)`")
    }
}
