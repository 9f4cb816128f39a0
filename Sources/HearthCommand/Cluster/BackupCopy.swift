internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc

/// A copy of a database that a node has written, in a folder of this machine.
struct BackupCopy {
    let path: String

    /// - Throws: when the copy is on another machine, or this user may not read it.
    init(at path: String) throws(CommandError) {
        self.path = path
        guard access(path, R_OK) != 0 else { return }
        throw CommandError(
            .noInput,
            "the node has written \(path), which this command cannot read: \(systemErrorText)",
            fix: "run this command on the machine of the node, as its user or as root")
    }

    /// Checks that the copy is complete.
    ///
    /// - Complexity: reads the whole file.
    func check() throws(CommandError) {
        do throws(NodeError) { try DatabaseCopy.check(path) } catch {
            throw CommandError(
                .badData, "\(path) is not a complete copy: \(error.problem)",
                fix: "check the disk of the node, and make another copy")
        }
    }

    /// Writes the copy to a file, or to standard output for a dash.
    func write(to target: String) throws(CommandError) {
        let input = try InputFile(path)
        defer { close(input.descriptor) }
        // The copy has all data: only this user may read it.
        umask(0o077)
        let output = target == "-" ? nil : try OutputFile(target)
        do throws(CommandError) {
            while true {
                guard let chunk = readChunk(from: input.descriptor) else {
                    throw CommandError(
                        .noInput, "cannot read \(path): \(systemErrorText)", fix: "check its disk")
                }
                if chunk.isEmpty { break }
                if let output { try output.write(chunk) } else { try Self.send(chunk) }
            }
            try output?.finish()
        } catch {
            output?.discard()
            throw error
        }
    }

    /// Writes to standard output. If that fails, the command goes on, because it has to delete the copy.
    private static func send(_ chunk: [UInt8]) throws(CommandError) {
        guard !writeAll(chunk, to: STDOUT_FILENO) else { return }
        throw CommandError(
            .cannotCreate, "cannot write standard output: \(systemErrorText)",
            fix: "redirect it to a file on a disk that has room")
    }

    func remove() { unlink(path) }

    /// Deletes the oldest copies of this name in the folder of this one.
    func removeOlder(named name: String, keeping count: Int) throws(CommandError) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        for old in BackupRetention(name: name, count: count).surplus(of: entries(of: folder)) {
            guard unlink(folder + "/" + old) == 0 else {
                throw CommandError(
                    .cannotCreate, "cannot delete \(folder)/\(old): \(systemErrorText)",
                    fix: "delete it as the user of the node")
            }
        }
    }

    private func entries(of folder: String) -> [String] {
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}

/// The copies of one name that are kept: `NAME-20261127-043000-000.sqlite`, by the time in UTC.
///
/// Names without milliseconds are those of earlier versions.
struct BackupRetention {
    let name: String
    let count: Int

    /// The name of a copy that is made at this time since 1970.
    static func datedName(_ name: String, at time: Duration) -> String {
        let (whole, attoseconds) = time.components
        var seconds = time_t(whole)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let date =
            digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
        let clock = digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
        let milliseconds = digits(Int32(attoseconds / 1_000_000_000_000_000), 3)
        return "\(name)-\(date)-\(clock)-\(milliseconds)"
    }

    /// The files to delete among those of a folder; other files are not touched.
    func surplus(of files: [String]) -> [String] {
        Array(files.filter(isCopy).sorted().dropLast(count))
    }

    private func isCopy(_ file: String) -> Bool {
        guard file.hasPrefix(name) else { return false }
        let date = file.utf8.dropFirst(name.utf8.count)
        return ["-00000000-000000-000.sqlite", "-00000000-000000.sqlite"].contains { shape in
            date.count == shape.utf8.count
                && zip(date, shape.utf8).allSatisfy { character, model in
                    model == UInt8(ascii: "0")
                        ? (0x30...0x39).contains(character) : character == model
                }
        }
    }
}
