internal import CRuntime
internal import Glibc

/// How many files and connections this process may have open.
struct OpenFiles {
    /// Enough for the maximum number of clients.
    private static let wanted = 4 * ClientTable.limit

    let limit: Int

    /// Raises the limit as far as the system allows: a login often begins with 1024.
    init() { limit = Int(clamping: hearth_allow_open_files(OpenFiles.wanted)) }

    /// A lower bound of the number of open files; the limit if no file can be opened.
    var count: Int {
        // The system assigns the lowest free number.
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return limit }
        close(file)
        return Int(file)
    }
}
