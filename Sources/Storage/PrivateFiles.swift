internal import CLibrary

/// Creates an empty file that only this user may read and write; one that exists stays as it is.
///
/// SQLite gives its own files the mode 0644, and those beside a database the mode of the database.
///
/// - Returns: Whether there is a file; otherwise `errno` says why.
@discardableResult
public func createPrivateFile(_ path: String) -> Bool {
    // Without O_EXCL, closing it would release the locks that this process has on the file.
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file < 0 { return errno == EEXIST }
    close(file)
    return true
}

/// Withdraws the rights of other users from a folder and all files and folders in it; follows no links.
///
/// - Returns: The paths that other users may still use, because this user does not own them.
/// - Complexity: reads the whole folder.
public func restrictToOwner(_ folder: String) -> [String] {
    var remaining = isRestricted(folder) ? [] : [folder]
    guard let entries = opendir(folder) else { return remaining }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name == "." || name == ".." { continue }
        let path = folder + "/" + name
        switch kind(of: path) {
        case S_IFDIR: remaining += restrictToOwner(path)
        case S_IFREG: if !isRestricted(path) { remaining.append(path) }
        default: continue
        }
    }
    return remaining.sorted()
}

private func kind(of path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
}

/// Withdraws the rights of other users; returns whether they have none.
private func isRestricted(_ path: String) -> Bool {
    var status = stat()
    // A file that is gone has no users.
    guard lstat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return true }
    return chmod(path, status.st_mode & 0o7700) == 0
}
