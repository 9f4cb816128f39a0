internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc

/// The folder of a backup that a node has written on this machine.
struct BackupFolder {
    private let path: String

    /// - Throws: when the backup is on another machine, or this user may not read it.
    init(of backup: String) throws(CommandError) {
        path = String(backup[..<(backup.lastIndex(of: "/") ?? backup.startIndex)])
        guard access(backup, R_OK) != 0 else { return }
        throw CommandError(
            .noInput,
            "the node has written \(backup), which this command cannot read: \(systemErrorText)",
            fix: "run this command on the machine of the node, as its user or as root")
    }

    /// Deletes the oldest backups of this name.
    func removeOlder(named name: String, keeping count: Int) throws(CommandError) {
        for old in BackupRetention(name: name, count: count).surplus(of: entries) {
            guard unlink(path + "/" + old) == 0 else {
                throw CommandError(
                    .cannotCreate, "cannot delete \(path)/\(old): \(systemErrorText)",
                    fix: "delete it as the user of the node")
            }
        }
    }

    private var entries: [String] {
        guard let list = opendir(path) else { return [] }
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

/// The copies of one name that are kept: `NAME-20261127-043000-000.tar`, by the time in UTC.
///
/// Earlier versions wrote `.sqlite`, at first without milliseconds.
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

    /// A time since 1970 for people, in UTC.
    static func text(ofMilliseconds milliseconds: UInt64) -> String {
        var seconds = time_t(clamping: milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S UTC", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The files to delete among those of a folder; other files are not touched.
    func surplus(of files: [String]) -> [String] {
        Array(files.filter(isCopy).sorted().dropLast(count))
    }

    private func isCopy(_ file: String) -> Bool {
        guard file.hasPrefix(name) else { return false }
        let date = file.utf8.dropFirst(name.utf8.count)
        let shapes = [
            "-00000000-000000-000.tar", "-00000000-000000-000.sqlite", "-00000000-000000.sqlite",
        ]
        return shapes.contains { shape in
            date.count == shape.utf8.count
                && zip(date, shape.utf8).allSatisfy { character, model in
                    model == UInt8(ascii: "0")
                        ? (0x30...0x39).contains(character) : character == model
                }
        }
    }
}
