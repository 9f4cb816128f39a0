package import CommandLineKit
internal import Glibc
internal import JSONText
internal import NodeStorage
package import SyncProtocol

/// A backup in a file or on standard input: the archive of a node, or one SQLite file, as versions up to 0.4.0 made it.
package struct BackupFile {
    /// The form of a backup.
    package enum Form: Equatable {
        case archive(BackupManifest)
        /// One database; the file does not say which one.
        case database
    }

    /// As messages name it.
    package let name: String
    package let form: Form
    private let input: InputFile
    /// The first bytes, which have been read to find out the form.
    private let beginning: [UInt8]

    private static let databaseMark = Array("SQLite format 3\0".utf8)
    /// More than the manifest of a cluster with all databases that a node may have.
    private static let manifestLimit = 64 << 20

    /// Opens a backup, and reads its manifest.
    ///
    /// - Parameter path: A dash for standard input.
    /// - Throws: `.noInput` also if it is no backup.
    package init(_ path: String) throws(CommandError) {
        let input = try InputFile(path)
        (self.input, name) = (input, input.name)
        var bytes: [UInt8] = []
        var manifest: [UInt8] = []
        var reader = BackupArchiveReader()
        var isRead = false
        while !isRead {
            let chunk = try BackupFile.chunk(of: input)
            bytes += chunk
            if bytes.count < 16, !chunk.isEmpty { continue }
            if bytes.starts(with: Self.databaseMark) {
                (form, beginning) = (.database, bytes)
                return
            }
            let isTooLong = bytes.count > Self.manifestLimit
            guard !chunk.isEmpty, !isTooLong else {
                throw Self.noBackup(name, "it is another file")
            }
            let name = name
            let part = bytes.count == chunk.count ? chunk : bytes.suffix(chunk.count)
            try reader.read(Array(part)) { part throws(CommandError) in
                switch part {
                case .failure(let error): throw Self.noBackup(name, error.problem)
                case .success(.content(let content)): if !isRead { manifest += content }
                case .success(.entryEnd): isRead = true
                case .success(.end): if !isRead { throw Self.noBackup(name, "it has no manifest") }
                case .success(.entry(let entry, _)):
                    guard isRead || entry == BackupArchive.manifestName else {
                        throw Self.noBackup(name, "it does not begin with a manifest")
                    }
                }
            }
        }
        guard let value = try? JSONReader().parse(String(decoding: manifest, as: UTF8.self)),
            let manifest = BackupManifest(value)
        else {
            throw Self.noBackup(
                name, "its manifest is damaged, or of a later version of Hearth")
        }
        (form, beginning) = (.archive(manifest), bytes)
    }

    /// The manifest of an archive.
    package var manifest: BackupManifest? {
        if case .archive(let manifest) = form { manifest } else { nil }
    }

    /// Writes the databases of the backup to files, in order, and calls `didWrite` after each one.
    ///
    /// - Parameters:
    ///   - path: The path for the database of an entry; nil to skip it. The name is nil for a backup of one database.
    /// - Throws: also when the backup ends too early.
    package func unpack(
        to path: (DatabaseName?) throws(CommandError) -> String?,
        didWrite: (DatabaseName?, _ path: String) throws(CommandError) -> Void
    ) throws(CommandError) {
        defer { if input.descriptor != STDIN_FILENO { close(input.descriptor) } }
        guard case .archive = form else {
            guard let path = try path(nil) else { return }
            let output = try DatabaseFileWriter(path)
            try forEachChunk { chunk throws(CommandError) in try output.write(chunk[...]) }
            try output.finish()
            return try didWrite(nil, path)
        }
        var reader = BackupArchiveReader()
        var entry: (name: DatabaseName, output: DatabaseFileWriter)?
        try forEachChunk { chunk throws(CommandError) in
            try reader.read(chunk) { part throws(CommandError) in
                switch part {
                case .failure(let error): throw Self.noBackup(name, error.problem)
                case .success(.entry(let text, _)):
                    guard let name = Self.database(ofEntry: text), let path = try path(name)
                    else { break }
                    entry = (name, try DatabaseFileWriter(path))
                case .success(.content(let content)): try entry?.output.write(content)
                case .success(.entryEnd):
                    guard let written = entry else { break }
                    entry = nil
                    try written.output.finish()
                    try didWrite(written.name, written.output.path)
                case .success(.end): break
                }
            }
        }
        guard reader.hasEnded else { throw Self.noBackup(name, "it ends too early") }
    }

    private func forEachChunk(
        _ body: ([UInt8]) throws(CommandError) -> Void
    ) throws(CommandError) {
        var chunk = beginning
        while !chunk.isEmpty {
            try body(chunk)
            chunk = try BackupFile.chunk(of: input)
        }
    }

    private static func database(ofEntry name: String) -> DatabaseName? {
        guard name.hasSuffix(".sqlite") else { return nil }
        return DatabaseName(stored: String(name.dropLast(".sqlite".utf8.count)))
    }

    private static func chunk(of input: InputFile) throws(CommandError) -> [UInt8] {
        if let chunk = readChunk(from: input.descriptor) { return chunk }
        throw CommandError(
            .noInput, "cannot read \(input.name): \(systemErrorText)", fix: "check its disk")
    }

    /// The error for bytes that are no complete backup.
    package static func noBackup(_ name: String, _ problem: String) -> CommandError {
        CommandError(
            .noInput, "\(name) is not a complete backup: \(problem)",
            fix: "name a file that `hearth backup` wrote")
    }
}

/// Checks that an archive is complete, as its bytes pass.
package struct BackupPassage {
    private var reader = BackupArchiveReader()
    private var problem: String?

    package init() {}

    package mutating func read(_ bytes: [UInt8]) {
        var problem: String?
        reader.read(bytes) { part in
            if case .failure(let error) = part { problem = error.problem }
        }
        self.problem = self.problem ?? problem
    }

    /// Why the archive is not complete; nil if it is.
    package var failure: String? {
        problem ?? (reader.hasEnded ? nil : "it ends too early")
    }
}

/// A file of a database that is being written, for the user of the folder.
final class DatabaseFileWriter {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws(CommandError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw failure }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func write(_ bytes: ArraySlice<UInt8>) throws(CommandError) {
        guard writeAll(Array(bytes), to: descriptor) else { throw failure }
    }

    func finish() throws(CommandError) {
        giveToOwnerOfFolder(path)
        guard fsync(descriptor) == 0 else { throw failure }
    }

    private var failure: CommandError {
        CommandError(
            .cannotCreate, "cannot write \(path): \(systemErrorText)", fix: "make room there")
    }
}

/// Gives a file or folder to the owner of the folder that has it, the user of the node. A command of that user changes nothing.
func giveToOwnerOfFolder(_ path: String) {
    var status = stat()
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    if stat(folder, &status) == 0 { _ = chown(path, status.st_uid, status.st_gid) }
}
