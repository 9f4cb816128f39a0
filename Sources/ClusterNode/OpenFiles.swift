internal import CRuntime
internal import Glibc

/// What this process may have open at once; each connection is one.
struct OpenFiles {
    /// Room for all clients that a node takes.
    private static let wanted = 4 * ClientTable.limit

    let limit: Int

    /// Asks the system for as many as it allows: a login often has 1024 at first.
    init() { limit = Int(clamping: hearth_allow_open_files(OpenFiles.wanted)) }

    /// At least so many are open; as many as may be where there is none left.
    var count: Int {
        // The lowest number that is free is given out.
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return limit }
        close(file)
        return Int(file)
    }
}
