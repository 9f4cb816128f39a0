/// The exit code of a verb; the numbers are those of sysexits.h where it has one.
///
/// This is the only list of them: the help shows it.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case checkFailed = 1
    case livenessFailed = 2
    case coverageMissed = 3
    case runsDiffered = 4
    case durabilityLost = 5
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case outcomeUnknown = 75
    case denied = 77
    case misconfigured = 78
    case lessDurable = 80
    case interrupted = 130

    /// The meaning of the code for a script, in one sentence.
    package var explanation: String {
        switch self {
        case .success: "The command succeeded."
        case .checkFailed: "The command ran, but its check failed."
        case .livenessFailed:
            "`hearth sim`: a cluster did not come to rest after all faults."
        case .coverageMissed:
            "`hearth sim`: nothing failed, but a check had nothing to check in any seed."
        case .runsDiffered: "`hearth sim`: two runs with the same seed differed."
        case .durabilityLost: "`hearth sim`: acknowledged writes were lost."
        case .usage: "The command line is wrong; nothing was done."
        case .badData: "A path, a value or the content of a file is wrong."
        case .noInput: "A file cannot be read."
        case .unavailable: "No node answers, or none accepts the request; nothing was written."
        case .software: "Hearth has a bug."
        case .cannotCreate: "A file or standard output cannot be written."
        case .outcomeUnknown: "A write was sent, and its outcome is unknown."
        case .denied:
            "A credential is missing, wrong or expired, or the rules deny the request."
        case .misconfigured:
            "The configuration or another file of a node is wrong; it cannot start before that changes."
        case .lessDurable:
            "The write is done, but on fewer nodes than --concern requires; do not repeat it."
        case .interrupted: "The command was interrupted by Ctrl-C or a signal."
        }
    }
}
