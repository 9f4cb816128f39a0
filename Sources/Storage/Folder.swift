internal import CLibrary

/// Makes a folder and those above it, for this user alone; one that exists is fine.
public func makeFolder(_ folder: String) throws(StorageError) {
    var path = folder.hasPrefix("/") ? "" : "."
    for part in folder.split(separator: "/") {
        path += "/" + part
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
        throw StorageError(
            code: .cannotOpen,
            problem: "cannot create folder \(path): \(String(cString: strerror(errno)))",
            fix: "choose another folder, or give this user the right to write there")
    }
}

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
