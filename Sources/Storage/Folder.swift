internal import CLibrary

/// Waits until the disk knows which files the folder of `path` has, and under which names.
///
/// Without that, what was renamed may have its old name again once the power has failed, and of two renamings
/// only the later one may be left. Returns false, with the reason in `errno`, if it fails.
public func synchronizeFolder(of path: String) -> Bool {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
}
