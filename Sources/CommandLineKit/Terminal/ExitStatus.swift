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
    case lessDurable = 80
    case interrupted = 130

    /// The meaning of the code for a script, in one sentence.
    package var explanation: String {
        switch self {
        case .success: "The command did what it was asked to do."
        case .checkFailed: "The command ran, and its condition or check does not hold."
        case .livenessFailed:
            "Of `hearth sim`: a cluster did not come to rest once all faults were over."
        case .coverageMissed:
            "Of `hearth sim`: nothing failed, but a check had nothing to check with any seed."
        case .runsDiffered: "Of `hearth sim`: two runs with the same seed differed."
        case .durabilityLost: "Of `hearth sim`: acknowledged writes were lost."
        case .usage: "The command line is wrong; nothing was done."
        case .badData: "A path, a value or the content of a file is wrong."
        case .noInput: "A file cannot be read."
        case .unavailable: "No node answers, or none accepts the request now."
        case .software: "Hearth has a bug."
        case .cannotCreate: "A file or standard output cannot be written."
        case .outcomeUnknown: "A write was sent, and whether it happened is not known."
        case .denied:
            "The node refuses it for lack of rights: a credential is missing or wrong, or the rules deny it."
        case .lessDurable:
            "The write is done, but on fewer nodes than --concern asks for; do not repeat it."
        case .interrupted: "The command was interrupted by Ctrl-C or a signal."
        }
    }
}
