package import CommandLineKit
package import DataTree
package import Sockets
package import SyncProtocol

/// The outcome of asking one node for its status.
package enum StatusAnswer: Sendable {
    case status(NodeStatus)
    /// The node sent a status of another version.
    case unreadable(DataError)
    /// The node serves, and shows its status to administrators only.
    case denied(Denial)
    /// The node takes no clients now: it starts, or stops.
    case unavailable
    /// No process listens at the address.
    case refused
    /// Nothing came in time.
    case silent(isConnected: Bool)
    /// The connection failed for another reason, such as another certificate.
    case failed(problem: String, fix: String)

    package var report: NodeStatus? { if case .status(let report) = self { report } else { nil } }

    /// Whether the node has accepted the connection, and has not answered in time.
    var isConnectedSilence: Bool {
        if case .silent(isConnected: true) = self { true } else { false }
    }

    /// Whether a node that serves has answered.
    var isAnswer: Bool {
        switch self {
        case .status, .unreadable, .denied: true
        case .unavailable, .refused, .silent, .failed: false
        }
    }
}

/// Why a node refuses to do what only administrators may ask for.
package enum Denial: Equatable, Sendable {
    case missingCredential
    /// The node does not accept the secret or the token.
    case unknownCredential
    /// The credential is that of a user.
    case notAdministrator

    /// The credential that the user has to show.
    package var fix: String {
        let options = "--secret FILE, HEARTH_SECRET_FILE, --token or HEARTH_TOKEN"
        return switch self {
        case .missingCredential:
            "send a secret of the cluster or the token of an administrator: \(options)"
        case .unknownCredential:
            "the secret or token is wrong, or has expired: send another one by \(options)"
        case .notAdministrator:
            "the secret or token is that of a user or a monitor: send an administrator's secret or token by "
                + options
        }
    }

    /// The error of a command that asked a node for something else than its status.
    package func error(at address: HTTPAddress) -> CommandError {
        let problem =
            self == .unknownCredential
            ? "does not accept this secret or token" : "does this only for administrators"
        return CommandError(.denied, "\(address.location) \(problem)", fix: fix)
    }
}

extension StatusAnswer {
    init(_ reply: NodeReply, showsCredential: Bool) {
        switch reply {
        case .message(.value(_, let value)):
            do throws(DataError) { self = .status(try NodeStatus(value)) } catch {
                self = .unreadable(error)
            }
        case .message(.error(_, .permissionDenied, _, _)):
            self = .denied(showsCredential ? .notAdministrator : .missingCredential)
        case .message(.error(_, _, let problem, let fix)):
            self = .failed(problem: problem, fix: fix)
        case .message:
            self = .failed(problem: "it sent an unexpected answer", fix: "see its log")
        case .silent(let isConnected): self = .silent(isConnected: isConnected)
        case .ended(let ending): self.init(ending, showsCredential: showsCredential)
        }
    }

    private init(_ ending: NodeSocket.Ending, showsCredential: Bool) {
        self =
            switch ending {
            case .refused: .refused
            case .silent: .silent(isConnected: false)
            case .denied: .denied(showsCredential ? .unknownCredential : .missingCredential)
            case .unavailable: .unavailable
            case .closed:
                .failed(
                    problem: "it closed the connection",
                    fix: "see its log, and check that a node of Hearth listens there")
            case .wrong(let problem, let fix), .failed(let problem, let fix):
                .failed(problem: problem, fix: fix)
            }
    }
}
