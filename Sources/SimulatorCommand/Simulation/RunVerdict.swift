internal import ClusterSimulator
internal import CommandLineKit

/// The result of a run, as the command prints it.
enum RunVerdict: Equatable {
    case passed
    case failed(FailureKind)
    /// Its repetition was another run.
    case differed

    /// The verdict on a run that is over.
    init(_ finished: SimulationRuns.Finished) {
        if let kind = finished.report.failureKind {
            self = .failed(kind)
        } else {
            self = finished.isDeterministic ? .passed : .differed
        }
    }

    /// Nil for a run that passed.
    var failure: String? {
        switch self {
        case .passed: nil
        case .failed(let kind): kind.rawValue
        case .differed: "determinism"
        }
    }

    /// How bad it is: of several failures the worst decides how the command ends.
    var severity: Int {
        switch self {
        case .passed: 0
        case .failed(.liveness): 1
        case .differed: 2
        case .failed(.safety): 3
        case .failed(.durability): 4
        }
    }

    var status: ExitStatus {
        switch self {
        case .passed: .success
        case .failed(.liveness): .livenessFailed
        case .failed(.safety): .checkFailed
        case .failed(.durability): .durabilityLost
        case .differed: .runsDiffered
        }
    }

    /// The command that has the same come out again.
    func command(_ file: ScenarioFiles.File, seed: UInt64) -> String {
        let verb = self == .differed ? "replay" : "run"
        return "hearth sim \(verb) \(file.words) --seed \(seed)"
    }
}

extension String {
    /// The text as one word of a shell.
    var quotedForShell: String {
        let plain = utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-+@%:,".utf8.contains(byte)
        }
        return plain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
