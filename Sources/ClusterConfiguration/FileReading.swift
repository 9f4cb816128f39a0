internal import Glibc

/// The first bytes of a file, or nil if it cannot be read; `errno` then says why.
package func readFile(_ path: String, upTo limit: Int = .max) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
        let size = min(limit - bytes.count, 64 * 1024)
        let chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
        }
        bytes += chunk
        if chunk.count < size { return ferror(file) == 0 ? bytes : nil }
    }
    return bytes
}

/// Whether there is a folder of this name.
func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The system's text for the last call that failed, such as "No such file or directory".
var systemErrorText: String { String(cString: strerror(errno)) }
