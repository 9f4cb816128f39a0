import Glibc

/// Is an empty folder that goes away with what it holds.
final class TemporaryFolder {
    let path: String

    struct CannotCreate: Error {}

    init() throws {
        var template = Array("/tmp/hearth-storage-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CannotCreate() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(file("log.sqlite") + suffix) }
        unlink(file("reported"))
        rmdir(path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    var log: String { file("log.sqlite") }
}
