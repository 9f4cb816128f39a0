import Glibc

/// Is a pipe whose reading end does not block.
final class Pipe {
    let reading: Int32
    let writing: Int32

    struct CannotOpen: Error {}

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CannotOpen() }
        (reading, writing) = (ends[0], ends[1])
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(reading)
        close(writing)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        let written = Glibc.write(writing, bytes, bytes.count)
        precondition(written == bytes.count)
    }

    /// Reads up to `limit` bytes, as text.
    @discardableResult
    func read(limit: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(reading, &buffer, limit)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Writes until there is no room.
    func fill() {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 0, count: 4096)
        while Glibc.write(writing, bytes, bytes.count) > 0 {}
    }

    func readAll() {
        while !read(limit: 4096).isEmpty {}
    }
}
