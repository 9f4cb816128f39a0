internal import Glibc

/// Properties of a file or folder that change when it is written.
struct FileVersion: Equatable {
    private let numbers: [[Int]]

    init(of paths: [String]) { numbers = paths.map(FileVersion.numbers) }

    private static func numbers(of path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [
            Int(status.st_mtim.tv_sec), status.st_mtim.tv_nsec, Int(status.st_size),
            Int(truncatingIfNeeded: status.st_ino),
        ]
    }
}
