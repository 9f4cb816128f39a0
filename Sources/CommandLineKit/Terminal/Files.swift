internal import Glibc

/// The content of a file, or nil if it cannot be read; `errno` then says why.
package func readFile(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return readAll(from: descriptor)
}

/// Everything up to the end of a file, a pipe or a terminal, or nil if it cannot be read.
package func readAll(from descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let chunk = readChunk(from: descriptor) {
        if chunk.isEmpty { return bytes }
        bytes += chunk
    }
    return nil
}

/// The bytes that one read returns, up to 256 KiB; empty at the end, nil if it fails.
package func readChunk(from descriptor: Int32) -> [UInt8]? {
    let size = 256 * 1024
    var failed = false
    let chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        var result = read(descriptor, buffer.baseAddress, size)
        while result < 0, errno == EINTR { result = read(descriptor, buffer.baseAddress, size) }
        failed = result < 0
        count = max(0, result)
    }
    return failed ? nil : chunk
}

/// The system's text for the last call that failed, such as "No such file or directory".
package var systemErrorText: String { String(cString: strerror(errno)) }
