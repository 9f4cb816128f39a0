internal import DataTree
internal import Glibc
internal import JSONText
internal import Storage
internal import SyncProtocol

/// The file in the folder of a database with the placement in which its files are used, as JSON.
struct PlacementFile {
    /// The name of the file.
    static let name = "placement.json"

    /// The folder of the database.
    let folder: String
    private var path: String { folder + "/" + PlacementFile.name }

    /// The record; one without a placement if there is no file.
    ///
    /// - Throws: If the file cannot be read. Without it, it is unknown to which placement the files belong.
    func read() throws(StorageError) -> PlacementRecord {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return PlacementRecord(nil) }
            throw failure
        }
        defer { close(file) }
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count >= 0 else { throw failure }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        guard let value = try? JSONReader().parse(String(decoding: bytes, as: UTF8.self)),
            let record = PlacementRecord(value)
        else {
            throw StorageError(
                code: .wrongFormat, problem: "\(path) is no placement of a database",
                fix: "move the folder \(folder) elsewhere; the node gets the data from its peers")
        }
        return record
    }

    /// Writes the record durably.
    func write(_ record: PlacementRecord) throws(StorageError) {
        try makeFolder(folder)
        let partial = path + ".partial"
        let bytes = Array(JSONWriter.text(of: record.value).utf8)
        let file = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
            rename(partial, path) == 0, synchronizeFolder(of: path), synchronizeFolder(of: folder)
        else { throw failure }
    }

    private var failure: StorageError {
        StorageError(.cannotOpen, message: String(cString: strerror(errno)), path: path)
    }
}
