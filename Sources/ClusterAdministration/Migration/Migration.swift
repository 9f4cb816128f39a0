internal import ClientCore
package import CommandLineKit
package import DataTree
internal import SyncProtocol
internal import Threads

/// Copies a tree from a source to a cluster, follows the changes of the source, and compares both sides.
///
/// One thread decides everything, one piece after the other: it reads a piece of the source, reads the same piece of the
/// target if that may have one, and writes what differs. Between two pieces it reads the locations again that the
/// source's event stream named. Each value therefore reaches the target in the order in which it was read.
package final class Migration {
    /// The properties of a migration that the user chooses.
    package struct Options {
        package var path = Path.root
        /// The name of the target in the state file.
        package var targetName = ""
        package var stateFile = ""
        /// The rules of the source, which the state file keeps: an interrupted migration installs those of its beginning.
        package var fetchedRules: String?
        /// Remove the value that the target has.
        package var overwrites = false
        /// End as soon as both sides are equal.
        package var endsWhenEqual = false

        package init() {}
    }

    /// An event that the user sees.
    package enum Event {
        /// The copy resumes after an interruption.
        case resumed
        /// So many values have been copied or compared.
        case progress(Int)
        /// Everything has been copied once.
        case copied(Int)
        /// A comparison has ended; so many values differed and were copied again.
        case compared(LocationHashes, differences: Int)
        /// From now on changes are followed until Ctrl-C.
        case following
        /// The event stream has ended, and is opened again.
        case streamLost(String)
        /// So many changes have been followed in all.
        case followed(Int)
        /// Ctrl-C came: the last comparison begins.
        case finishing
    }

    /// Comparisons that differ, one after the other, before the migration gives up.
    private static let comparisonLimit = 5

    private let source: MigrationSource
    private let target: MigrationTarget
    private let options: Options
    private let report: (Event) -> Void
    /// Two migrations with one state file would each continue the work of the other.
    private let lock: MigrationLock
    private var record: MigrationRecord
    private var stream: SourceStream?
    /// Whether changes were missed, so that everything must be compared again.
    private var hasMissedChanges = false
    private var changeCount = 0
    private var lastSave = ContinuousClock.now

    /// - Throws: when the state file belongs to another migration that is not done, another process uses the file, or the target
    ///   has data.
    package init(
        from source: MigrationSource, named sourceName: String, to client: NodeClient,
        _ options: Options, report: @escaping (Event) -> Void
    ) throws(CommandError) {
        self.source = source
        self.options = options
        self.report = report
        lock = try MigrationLock(of: options.stateFile)
        target = MigrationTarget(client)
        record = MigrationRecord(
            source: sourceName, target: options.targetName, path: options.path)
        record.rules = options.fetchedRules
        try prepare()
    }

    /// The rules that the first run of an interrupted migration has read; nil if this is the first run.
    package static func fetchedRules(
        from sourceName: String, _ options: Options
    ) throws(CommandError) -> String? {
        guard !options.overwrites, let old = try MigrationRecord(file: options.stateFile),
            old.isInterrupted, old.source == sourceName, old.target == options.targetName
        else { return nil }
        return old.rules
    }

    /// Migrates, and returns the hashes of the last comparison.
    ///
    /// - Parameter finish: Called once both sides are equal. The state file says that the migration is done only after it,
    ///   so a command that is interrupted in between calls it again.
    package func run(
        beforeEnd finish: () throws(CommandError) -> Void
    ) throws(CommandError) -> LocationHashes {
        try startStream()
        defer { stream?.stop() }
        if record.phase == .copying { try copy() }
        if stream != nil { StopRequest.holdFirst() }
        var hashes = try compare()
        if stream != nil {
            try follow()
            hashes = try compare()
        }
        var attempts = 1
        while !hashes.areEqual || hasMissedChanges {
            guard attempts < Migration.comparisonLimit else { throw stillChanges }
            attempts += 1
            hashes = try compare()
        }
        try finish()
        record.phase = .done
        try save()
        return hashes
    }
}

// MARK: - Phases

extension Migration {
    private func prepare() throws(CommandError) {
        if !options.overwrites, let old = try MigrationRecord(file: options.stateFile),
            old.isInterrupted || old.isOfMigration(record)
        {
            try resume(old)
            return
        }
        if try !target.isEmpty(at: options.path) {
            guard options.overwrites else {
                throw CommandError(
                    .usage, "the target is not empty at \(options.path)",
                    fix: "add --overwrite to remove the value there first, or use another database")
            }
            try target.remove(options.path)
        }
        try save()
    }

    private func resume(_ old: MigrationRecord) throws(CommandError) {
        guard old.isOfMigration(record), options.path.contains(old.cursor.path) else {
            throw CommandError(
                .usage,
                "\(options.stateFile) is the state of another migration, from \(old.source) to \(old.target)",
                fix: "name another file with --state")
        }
        guard old.isInterrupted else {
            throw CommandError(
                .usage, "\(options.stateFile) says that this migration is done",
                fix:
                    "to migrate again, add --overwrite, which first removes what the target has there"
            )
        }
        record = old
        record.rules = old.rules ?? options.fetchedRules
        report(.resumed)
    }

    /// Opens the event stream of a live source before anything is read.
    private func startStream() throws(CommandError) {
        guard case .database(let reader) = source, !options.endsWhenEqual else { return }
        let stream = try reader.stream(of: options.path)
        self.stream = stream
        while true {
            let state = stream.state.wait(upTo: .milliseconds(100)) { state in
                state.hasOpened || state.refusal != nil ? state : nil
            }
            if let refusal = state?.refusal { throw refusal }
            if state != nil { return }
            try checkStop()
        }
    }

    private func copy() throws(CommandError) {
        var walk = MigrationWalk(of: options.path, from: record.cursor)
        var hashes: LocationHashes?
        var count = 0
        while walk.step != nil {
            try checkStop()
            try applyChanges()
            count += try advance(&walk, &hashes).count
            report(.progress(count))
            record.cursor = walk.cursor ?? record.cursor
            if ContinuousClock.now - lastSave > .seconds(1) { try save() }
        }
        record.phase = .following
        try save()
        report(.copied(count))
    }

    /// Compares both sides, and copies what differs. Ends early if Ctrl-C ends the following: another comparison comes.
    private func compare() throws(CommandError) -> LocationHashes {
        hasMissedChanges = false
        var walk = MigrationWalk(of: options.path)
        var hashes: LocationHashes? = LocationHashes(below: options.path)
        var (count, differences) = (0, 0)
        while walk.step != nil, !StopRequest.isHeld {
            try checkStop()
            try applyChanges()
            let step = try advance(&walk, &hashes)
            count += step.count
            differences += step.differences
            report(.progress(count))
        }
        try applyChanges()
        try target.finishWrites()
        let result = hashes ?? LocationHashes(below: options.path)
        if walk.step == nil { report(.compared(result, differences: differences)) }
        return result
    }

    /// Applies changes until Ctrl-C. Another signal interrupts the migration.
    private func follow() throws(CommandError) {
        report(.following)
        var isLost = false
        while !StopRequest.isHeld {
            try checkStop()
            try applyChanges()
            if hasMissedChanges { _ = try compare() }
            report(.followed(changeCount))
            guard let state = stream?.state.withLock({ $0 }) else { break }
            if !state.isOpen, !isLost { report(.streamLost(state.problem)) }
            isLost = !state.isOpen
            _ = stream?.state.wait(upTo: .milliseconds(100)) { $0.changed.isEmpty ? nil : true }
        }
        report(.finishing)
        StopRequest.reset()
    }

    private var stillChanges: CommandError {
        CommandError(
            .checkFailed,
            "the source still changes: both sides differed in \(Migration.comparisonLimit) comparisons",
            fix: "stop all programs that write to the source, and run the same command again")
    }
}

// MARK: - Pieces

extension Migration {
    /// Reads the next piece of a walk, and writes what the target lacks.
    ///
    /// - Parameter hashes: The hashes of a comparison; nil if the target has nothing there.
    /// - Returns: The primitives in the piece, and how many of its children differed.
    private func advance(
        _ walk: inout MigrationWalk, _ hashes: inout LocationHashes?
    ) throws(CommandError) -> (count: Int, differences: Int) {
        guard let step = walk.step else { return (0, 0) }
        switch step {
        case .page(let path, let after, let limit):
            guard
                case .value(let page, let bytes) = try source.page(
                    of: path, after: after, limit: limit)
            else {
                walk.pageWasTooLarge()
                return (0, 0)
            }
            let children = page.children
            let range = walk.readPage(
                of: children.count, endingAt: children.last?.key, bytes: bytes)
            return (page.primitiveCount, try write(children, to: range, &hashes))
        case .key(let path, let after):
            let range = walk.readKey(try source.key(of: path, after: after))
            return (0, try write(Children(), to: range, &hashes))
        case .value(let path):
            let value = try source.value(at: path)
            walk.readEnd()
            return (value.primitiveCount, try write(value, to: path, &hashes))
        case .priority(let path):
            let priority = try source.value(at: path.appending(.priority))
            walk.readEnd()
            return (0, try write(priority, to: path.appending(.priority), &hashes))
        }
    }

    /// Makes a range of children equal to those of the source, and returns how many differed.
    private func write(
        _ children: Children, to range: MigrationWalk.KeyRange, _ hashes: inout LocationHashes?
    ) throws(CommandError) -> Int {
        guard hashes != nil else {
            let writes = children.map { Write(path: Path([$0.key]), value: $0.value) }
            try target.write(writes, below: range.path)
            return 0
        }
        let present = try target.children(in: range)
        var writes: [Write] = []
        for key in keys(of: children, present) {
            let (new, old) = (children[key] ?? .null, present[key] ?? .null)
            hashes?.add(source: new, target: old, at: range.path.appending(key))
            if !areSame(new, old) { writes.append(Write(path: Path([key]), value: new)) }
        }
        try target.write(writes, below: range.path)
        return writes.count
    }

    /// Makes the value at a location equal to that of the source, and returns whether it differed, as a number.
    private func write(
        _ value: Value, to path: Path, _ hashes: inout LocationHashes?
    ) throws(CommandError) -> Int {
        let present = hashes == nil ? .null : try target.value(at: path)
        if !value.isNull || !present.isNull {
            hashes?.add(source: value, target: present, at: path)
        }
        if areSame(value, present) { return 0 }
        try target.write([Write(path: .root, value: value)], below: path)
        return 1
    }

    private func keys(of one: Children, _ other: Children) -> [Key] {
        let missing = other.keys.filter { one[$0] == nil }
        if missing.isEmpty { return Array(one.keys) }
        return (Array(one.keys) + missing).sorted()
    }

    private func areSame(_ one: Value, _ other: Value) -> Bool {
        one == other || DataHash(of: one) == DataHash(of: other)
    }
}

// MARK: - Changes

extension Migration {
    /// Copies the locations again that have changed.
    private func applyChanges() throws(CommandError) {
        guard case .database(let reader) = source, let stream else { return }
        let (paths, refusal) = stream.state.withLock { state in
            changeCount = state.changeCount
            if state.changed.isEverything { hasMissedChanges = true }
            return (state.changed.removeAll(), state.refusal)
        }
        if let refusal { throw refusal }
        var rest = paths.map(options.path.appending)[...]
        while !rest.isEmpty {
            let batch = rest.prefix(SourceReader.parallelRequests)
            rest = rest.dropFirst(batch.count)
            try copy(batch, by: reader)
        }
        if !paths.isEmpty { try target.finishWrites() }
    }

    private func copy(_ paths: ArraySlice<Path>, by reader: SourceReader) throws(CommandError) {
        var writes: [Write] = []
        for (path, answer) in zip(paths, try reader.values(at: paths)) {
            switch answer {
            case .value(let value, _): writes.append(Write(path: path, value: value))
            case .tooLarge: try copyLarge(path)
            }
        }
        try target.write(writes, below: .root)
    }

    /// Copies a location that is too large for one read.
    private func copyLarge(_ path: Path) throws(CommandError) {
        var walk = MigrationWalk(of: path)
        var hashes: LocationHashes? = LocationHashes(below: path)
        while walk.step != nil {
            try checkStop()
            _ = try advance(&walk, &hashes)
        }
    }

    private func save() throws(CommandError) {
        try target.finishWrites()
        try writeFile(options.stateFile, record.json)
        lastSave = ContinuousClock.now
    }

    private func checkStop() throws(CommandError) {
        guard StopRequest.isThere else { return }
        throw CommandError(
            .interrupted, "interrupted; \(options.stateFile) has the state of the migration",
            fix: "run the same command again to resume")
    }
}

extension SourceReader {
    /// Starts to follow the changes at a path.
    func stream(of path: Path) throws(CommandError) -> SourceStream {
        try SourceStream(of: path, at: address, showing: credential)
    }
}
