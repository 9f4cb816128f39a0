/// Runs the storage thread's jobs on its file, appends that follow each other in one transaction.
struct Writer {
    private static let groupLimit = 256
    private static let groupByteLimit = 8 << 20

    private let file: LogFile
    private var turns: [Turn] = []
    private var completions: [StorageThread.Completion<Void>] = []
    private var byteCount = 0

    init(file: LogFile) {
        self.file = file
    }

    /// Makes sure of what the file had, before anything rests on it.
    func begin() { file.rewrite() }

    /// Runs `jobs` in order, telling `finish` how many are done as they are.
    mutating func run(_ jobs: [Job], finish: (Int) -> Void) {
        for job in jobs {
            switch job {
            case .append(let turn, let completion):
                add(turn, completion)
                if isFull { commit(finish) }
            case .perform(let body):
                commit(finish)
                body(file)
                finish(1)
            }
        }
        commit(finish)
    }

    private var isFull: Bool {
        turns.count >= Self.groupLimit || byteCount >= Self.groupByteLimit
    }

    private mutating func add(_ turn: Turn, _ completion: @escaping StorageThread.Completion<Void>)
    {
        turns.append(turn)
        completions.append(completion)
        byteCount += turn.byteCount
    }

    /// Commits the turns gathered so far and completes each.
    private mutating func commit(_ finish: (Int) -> Void) {
        guard !turns.isEmpty else { return }
        let result = write()
        finish(turns.count)
        for completion in completions { completion(result) }
        turns.removeAll(keepingCapacity: true)
        completions.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    private mutating func write() -> Result<Void, StorageError> {
        do throws(StorageError) {
            return .success(try file.append(turns))
        } catch {
            return .failure(error)
        }
    }
}
