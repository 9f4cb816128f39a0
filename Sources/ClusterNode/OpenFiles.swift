internal import CRuntime
internal import GatewayCore
internal import Glibc

/// What this process may have open at once; each connection is one.
struct OpenFiles {
    /// Room for all clients that a node takes.
    private static let wanted = 4 * GatewayConfiguration().connectionLimit

    let limit: Int

    /// Asks the system for as many as it allows: a login often has 1024 at first.
    init() { limit = Int(clamping: hearth_allow_open_files(OpenFiles.wanted)) }

    /// How many are open at least; the limit where none is left.
    var count: Int {
        // The system assigns the lowest free number.
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return limit }
        close(file)
        return Int(file)
    }
}
