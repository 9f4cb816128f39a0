internal import ClientCore
internal import DataTree
internal import Hearth
internal import SyncProtocol
internal import Threads

extension Verb {
    private static let file = Argument(
        "FILE", "A JSON file; - is standard input.", values: .file)

    static let `import` = Verb(
        "import", "Replaces what is at a path by the content of a JSON file.",
        arguments: [DataArguments.path, file], options: NodeClient.options,
        examples: [
            "hearth import /languages iso_639-3.json --node n1 --dir demo",
            "zcat backup.json.gz | hearth import / - --node tcp://127.0.0.1:7001",
        ]
    ) { (invocation) throws(CommandError) in
        let path = try invocation.location()
        let input = try InputFile(invocation[file])
        let value = try parseJSON(try input.readAll(), from: input.name)
        do throws(DataError) {
            try value.validate(at: path)
        } catch {
            throw CommandError(.badData, "\(input.name): \(error.problem)", fix: error.fix)
        }
        let client = try NodeClient(for: invocation)
        try client.requireNode()
        return try Import(of: value, to: path, by: client).run()
    }
}

/// Writes a large value in pieces: the first replaces what was there, the others add to it.
///
/// Listeners see the value grow; to a small one, that fits in one piece, it is a single change.
private struct Import {
    private static let piecesInFlight = 8

    private let pieces: [[Write]]
    private let path: Path
    private let client: NodeClient
    private let state = Monitor<(answered: Int, failure: HearthError?)>((0, nil))

    init(of value: Value, to path: Path, by client: NodeClient) {
        pieces = ValuePieces(of: value).pieces
        self.path = path
        self.client = client
    }

    func run() throws(CommandError) -> ExitStatus {
        var progress = Progress(of: pieces.count, "pieces")
        for (index, piece) in pieces.enumerated() {
            // Nothing is added before the first piece has replaced what was there.
            let room = index == 1 ? 1 : Import.piecesInFlight
            progress.show(waitUntil { index - $0 < room })
            if state.withLock({ $0.failure }) != nil { break }
            send(piece, isFirst: index == 0)
        }
        progress.finish(waitUntil { $0 == pieces.count })
        if let failure = state.withLock({ $0.failure }) { throw CommandError(failure) }
        return .success
    }

    private func send(_ piece: [Write], isFirst: Bool) {
        let work: Request.Work =
            isFirst ? .put(path, ValuePieces.value(of: piece)) : .merge(path, piece)
        client.connection.send(work) { [state] result in
            state.withLock { state in
                state.answered += 1
                if case .failure(let error) = result { state.failure = state.failure ?? error }
            }
            state.signal()
        }
    }

    /// Waits for answers, or a failure, and returns how many there are.
    private func waitUntil(_ isEnough: (Int) -> Bool) -> Int {
        state.wait { $0.failure != nil || isEnough($0.answered) ? $0.answered : nil }
    }
}
