internal import CLibrary
public import Storage

/// The files of a database that a node keeps aside in its folder, as `kept/NAME-EPOCH-TIME/`, because they may have operations that
/// no other node has. No database and no move reads them.
public struct KeptFiles: Equatable, Sendable {
    /// The name of the folder.
    public let entry: String
    /// The name of the database.
    public let name: String
    /// The epoch of the placement in which they were used last; 0 if all nodes held the database.
    public let epoch: UInt32
    /// Their size.
    public let bytes: Int

    /// The folder with all of them, in the folder of a node.
    private static func folder(inFolder folder: String) -> String { folder + "/kept" }

    /// All kept files in the folder of a node, by their names.
    public static func all(inFolder folder: String) -> [KeptFiles] {
        names(in: self.folder(inFolder: folder)).sorted().compactMap { entry in
            KeptFiles(entry, inFolder: folder)
        }
    }

    /// The path of the database's file.
    public func databasePath(inFolder folder: String) -> String {
        path(inFolder: folder) + "/log.sqlite"
    }

    /// The path of their folder in the folder of a node.
    public func path(inFolder folder: String) -> String {
        Self.folder(inFolder: folder) + "/" + entry
    }

    /// Reads `NAME-EPOCH-TIME`; nil for another name.
    private init?(_ entry: String, inFolder folder: String) {
        let parts = entry.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, let epoch = UInt32(parts[parts.count - 2]) else { return nil }
        self.entry = entry
        name = parts.dropLast(2).joined(separator: "-")
        self.epoch = epoch
        let path = Self.folder(inFolder: folder) + "/" + entry
        bytes = Self.names(in: path).reduce(0) { sum, file in
            var status = stat()
            return stat("\(path)/\(file)", &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    // MARK: Changes

    /// Moves the files of a database, which nothing has open, out of its folder; its backups stay.
    ///
    /// - Parameters:
    ///   - database: The folder of the database.
    ///   - seconds: The time since 1970.
    /// - Returns: The path of the kept files; nil if there are none.
    public static func keep(
        _ database: String, of name: String, epoch: UInt32, inFolder folder: String,
        at seconds: Int
    ) throws(StorageError) -> String? {
        guard names(in: database).contains(where: { $0.hasPrefix("log.sqlite") }) else {
            return nil
        }
        let kept = self.folder(inFolder: folder)
        try makeFolder(kept)
        let path = freePath("\(kept)/\(name)-\(epoch)-", at: seconds)
        guard rename(database, path) == 0, synchronizeFolder(of: database),
            synchronizeFolder(of: path), synchronizeFolder(of: kept)
        else {
            throw StorageError(
                .cannotOpen, message: String(cString: strerror(errno)), path: path)
        }
        _ = restrictToOwner(path)
        if access(path + "/backups", F_OK) == 0 {
            mkdir(database, 0o700)
            rename(path + "/backups", database + "/backups")
        }
        return path
    }

    /// Deletes them.
    public func delete(inFolder folder: String) throws(StorageError) {
        let path = path(inFolder: folder)
        for file in Self.names(in: path) { unlink("\(path)/\(file)") }
        guard rmdir(path) == 0, synchronizeFolder(of: path) else {
            throw StorageError(
                .cannotOpen, message: String(cString: strerror(errno)), path: path)
        }
    }

    /// The path with the time, or a later one if there are such files.
    private static func freePath(_ prefix: String, at seconds: Int) -> String {
        for second in seconds... {
            let path = prefix + text(of: second)
            if access(path, F_OK) != 0 { return path }
        }
        preconditionFailure("a second has a free path")
    }

    /// A time as in `20260131T235959Z`.
    private static func text(of seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        gmtime_r(&time, &parts)
        func digits(_ number: Int32, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1) + digits(parts.tm_mday)
            + "T" + digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec) + "Z"
    }

    private static func names(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
