internal import CLibrary

/// Syncs the folder of `path`, so that its file names survive a power failure.
///
/// Without this, a renamed file may have its old name again, and of two renames only the later may remain.
/// Returns false, with the reason in `errno`, if it fails.
public func synchronizeFolder(of path: String) -> Bool {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
}
