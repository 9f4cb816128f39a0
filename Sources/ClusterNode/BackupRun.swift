internal import EventLoop
internal import GatewayCore
internal import Glibc
internal import JSONText
internal import NodeCore
internal import NodeStorage
internal import Storage
internal import SyncProtocol
internal import Threads

/// A backup that a node writes: one database after the other, into a file of its folder or to a client of the HTTP port.
///
/// The storage thread copies each database in one transaction. Another thread checks the copy and, for a file, appends it. A copy
/// for a client has no name once it is open, so that nothing of it stays after any end of the client or of the process.
final class BackupRun {
    /// The beginning of the names of files that are not complete.
    private static let unfinishedPrefix = ".unfinished"
    private static let pieceBytes = 256 << 10

    /// How the copy of a database begins.
    enum CopyStart {
        case isAwake
        /// The files are closed, and must stay so until the copy is complete.
        case isAsleep
        /// The database is being closed: to be tried again soon.
        case mustWait
    }

    /// Begins to copy a database to a path, and calls the completion on another thread.
    typealias CopyDatabase = (
        BackupPlan.Source, _ path: String, _ completion: @escaping StorageThread.Completion<Void>
    ) -> CopyStart

    /// A report of another thread.
    private enum Report: Sendable {
        case copied(Result<Void, StorageError>)
        /// The copy is checked and, for a file, appended.
        case checked(Result<Void, StorageError>)
        case finished(Result<Void, StorageError>)
    }

    /// A copy that is being sent.
    private struct OpenCopy {
        let file: Int32
        let byteCount: Int
        var sentBytes = 0
    }

    let session: SessionID
    /// The database that must stay closed while it is copied.
    private(set) var sleeper: DatabaseIndex?
    private let plan: BackupPlan
    private let folder: String
    /// Nil for a backup that is sent to a client.
    private var archive: BackupArchiveFile?
    private var position = 0
    private var mustWait = false
    private var copy: OpenCopy?
    /// The beginning of the archive, until it is sent with the first copy.
    private var beginning: [UInt8] = []
    private var isEndSent = false
    private var hasEnded = false
    /// Whether another thread works on the copy.
    private var isWorking = false
    private let copyDatabase: CopyDatabase
    private let report: (BackupEvent) -> Void
    private var mailbox: Mailbox<Report>?

    /// - Parameters:
    ///   - folder: That of the node's backups.
    ///   - report: Receives the progress, on the loop.
    init(
        _ plan: BackupPlan, for session: SessionID, in folder: String, on loop: Loop,
        copy: @escaping CopyDatabase, report: @escaping (BackupEvent) -> Void
    ) {
        (self.plan, self.session, self.folder) = (plan, session, folder)
        (copyDatabase, self.report) = (copy, report)
        mailbox = loop.mailbox { [weak self] report in self?.receive(report) }
    }

    /// Deletes the files of backups that an earlier process did not complete, with those that SQLite keeps beside a copy.
    static func removeUnfinished(in folder: String) {
        guard let entries = opendir(folder) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(unfinishedPrefix) { unlink("\(folder)/\(name)") }
        }
    }

    /// Whether another backup would use the same files.
    var isBusy: Bool { !hasEnded || isWorking }

    // MARK: Steps

    /// Begins with the first database.
    func begin() {
        do throws(StorageError) {
            try makeFolder(folder)
            let manifest = Array((JSONWriter.text(of: plan.manifest.value) + "\n").utf8)
            if let name = plan.fileName {
                archive = try BackupArchiveFile(
                    at: "\(folder)/\(name).tar",
                    unfinishedAt: "\(folder)/\(Self.unfinishedPrefix).tar", manifest: manifest,
                    seconds: seconds)
            } else {
                beginning = BackupArchive.firstEntry(manifest, seconds: seconds)
            }
            copyNext()
        } catch {
            fail(error)
        }
    }

    /// Tries again to copy a database that was being closed.
    func tick() { if mustWait { copyNext() } }

    /// Sends the next bytes: the client has received the last ones.
    func sendNext() {
        guard !hasEnded else { return }
        if isEndSent { return end(.complete(path: nil)) }
        if copy == nil { copyNext() } else { sendPiece(behind: []) }
    }

    /// Gives up, as the client is gone. A copy that is under way is deleted when it is complete.
    func cancel() {
        hasEnded = true
        closeCopy()
        if !isWorking { Self.removeUnfinished(in: folder) }
    }

    private func copyNext() {
        guard let mailbox else { return }
        mustWait = false
        guard position < plan.sources.count else { return finish() }
        unlink(copyPath)
        let source = plan.sources[position]
        switch copyDatabase(source, copyPath, { mailbox.post(.copied($0)) }) {
        case .isAwake: isWorking = true
        case .isAsleep: (isWorking, sleeper) = (true, source.database)
        case .mustWait: mustWait = true
        }
    }

    private func receive(_ report: Report) {
        (isWorking, sleeper) = (false, nil)
        if hasEnded { return Self.removeUnfinished(in: folder) }
        switch report {
        case .copied(.success): check()
        case .checked(.success): useCopy()
        case .finished(.success): end(.complete(path: archive?.path))
        case .copied(.failure(let error)), .checked(.failure(let error)),
            .finished(.failure(let error)):
            fail(error)
        }
    }

    /// Checks the copy, which reads all of it, and appends it to a file.
    private func check() {
        let (path, archive, name) = (copyPath, archive, plan.sources[position].name.text)
        work(Report.checked) { () throws(StorageError) in
            try SQLiteTables.check(path)
            try archive?.append(copyAt: path, of: name)
        }
    }

    /// Goes on once the copy is checked: with the next one, or by sending this one.
    private func useCopy() {
        guard archive == nil else {
            position += 1
            return copyNext()
        }
        let file = open(copyPath, O_RDONLY | O_CLOEXEC)
        unlink(copyPath)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else {
            return end(.failed(problem: "cannot read \(copyPath)", fix: "check the disk"))
        }
        let byteCount = Int(status.st_size)
        copy = OpenCopy(file: file, byteCount: byteCount)
        let name = BackupArchive.entryName(of: plan.sources[position].name.text)
        let head = BackupArchive.head(of: name, byteCount: byteCount, seconds: seconds)
        sendPiece(behind: beginning + head)
        beginning = []
    }

    private func sendPiece(behind head: [UInt8]) {
        guard var open = copy else { return }
        var bytes = [UInt8](
            repeating: 0, count: min(Self.pieceBytes, open.byteCount - open.sentBytes))
        let count = read(open.file, &bytes, bytes.count)
        guard count > 0 || bytes.isEmpty else {
            return end(.failed(problem: "cannot read the copy", fix: "check the disk"))
        }
        open.sentBytes += count
        copy = open
        var piece = head + bytes.prefix(count)
        if open.sentBytes == open.byteCount {
            piece += BackupArchive.padding(after: open.byteCount)
            closeCopy()
            position += 1
        }
        report(.piece(piece))
    }

    private func finish() {
        guard let archive else {
            isEndSent = true
            return report(.piece(beginning + BackupArchive.end))
        }
        work(Report.finished) { () throws(StorageError) in try archive.finish() }
    }

    // MARK: Parts

    private var copyPath: String { "\(folder)/\(Self.unfinishedPrefix).sqlite" }

    private var seconds: UInt64 { plan.manifest.milliseconds / 1_000 }

    /// Does work that blocks, on a thread of its own.
    private func work(
        _ report: @escaping @Sendable (Result<Void, StorageError>) -> Report,
        _ body: @escaping @Sendable () throws(StorageError) -> Void
    ) {
        guard let mailbox else { return }
        isWorking = true
        let thread = SystemThread {
            mailbox.post(report(Result { () throws(StorageError) in try body() }))
        }
        if thread == nil {
            isWorking = false
            end(.failed(problem: "there is no room for a thread", fix: "raise `ulimit -u`"))
        }
    }

    private func fail(_ error: StorageError) {
        end(.failed(problem: error.problem, fix: error.fix))
    }

    private func end(_ event: BackupEvent) {
        hasEnded = true
        closeCopy()
        Self.removeUnfinished(in: folder)
        report(event)
    }

    private func closeCopy() {
        if let copy { close(copy.file) }
        copy = nil
    }
}
