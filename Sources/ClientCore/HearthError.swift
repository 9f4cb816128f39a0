import DataTree
import SyncProtocol

/// Why a request failed, and whether it may have had an effect.
public struct HearthError: Error, Equatable, Sendable {
    /// The kind of the problem, to switch on.
    public enum Code: String, Sendable, CaseIterable {
        /// The path, the value or the request itself is wrong, or the cluster has no database of the name.
        case invalid
        /// No node answers at the addresses given.
        case unreachable
        /// A node answered that it does not take the request now.
        case unavailable
        /// A node took the request and did not answer in time.
        case timedOut
        /// The connection was lost after the request was sent, and a repetition might do it twice.
        case disconnected
        /// The outcome of the write is unknown, and no node could determine it in time.
        case undecided
        /// The write is done, and durable on fewer nodes than requested.
        case notMet
        /// No node that answers holds what this client has seen before.
        case behind
        /// Earlier writes may still arrive.
        case notStable
        /// A transaction was not decided, because fewer than a majority of the nodes are connected.
        case noMajority
        /// The rules of the cluster do not permit it, or the node does not accept the credential.
        case permissionDenied
        /// A limit of the node is reached.
        case tooBig
        /// Too many requests wait at this client.
        case full
        /// The condition of a write does not hold.
        case changed
        /// The application overwrote the place of a transaction; Firebase's `set`.
        case overwritten
        /// Another write came in between at each try of a transaction; Firebase's `maxretry`.
        case triedTooOften
        /// The node speaks another version of the protocol.
        case version
        /// The connection was closed by this program.
        case closed
        /// This program is offline, by `goOffline()`.
        case offline
        /// This program stopped waiting: its task was cancelled, or it took its writes back.
        case cancelled
    }

    /// The effect of the request, as far as it is known.
    public enum Effect: Sendable {
        /// Nothing has happened.
        case none
        /// A write may have happened, or may yet.
        case unknown
        /// The write has happened.
        case done
    }

    /// The kind of the problem, to switch on.
    public let code: Code
    /// The problem, naming the path, the value or the address.
    public let problem: String
    /// The fix for the caller.
    public let fix: String
    /// The effect of the request.
    public let effect: Effect

    package init(_ code: Code, _ problem: String, fix: String, effect: Effect = .none) {
        self.code = code
        self.problem = problem
        self.fix = fix
        self.effect = effect
    }
}

extension HearthError: CustomStringConvertible {
    /// The text of it.
    public var description: String { "\(problem); \(fix)" }
}

extension HearthError {
    /// The error that a node answered.
    init(_ code: ErrorCode, problem: String, fix: String) {
        let own: Code =
            switch code {
            case .invalid: .invalid
            case .version: .version
            case .unavailable: .unavailable
            case .tooBig, .tooMany, .full: .tooBig
            case .changed: .changed
            case .late, .undecided: .undecided
            case .behind: .behind
            case .notStable: .notStable
            case .noMajority: .noMajority
            case .permissionDenied: .permissionDenied
            }
        self.init(own, problem, fix: fix)
    }

    /// The same error, with the effect of one request.
    func leaving(_ effect: Effect) -> HearthError {
        HearthError(code, problem, fix: fix, effect: effect)
    }

    static func unreachable(_ nodes: [String], effect: Effect) -> HearthError {
        let names = nodes.joined(separator: " or ")
        return HearthError(
            .unreachable, "no node answers at \(names)",
            fix: "check that a node runs there, that this is its address for clients and that it "
                + "lets your key in, if it has one, or name another node", effect: effect)
    }

    static func notMet(_ wanted: WriteConcern, but reached: WriteConcern) -> HearthError {
        HearthError(
            .notMet,
            "the write is done, and durable on "
                + (reached == .local ? "one node" : "most nodes")
                + "; that \(wanted == .all ? "all hold" : "most hold") it is not known yet",
            fix:
                "wait for the other nodes; `hearth cluster status` shows them; there is no need to write "
                + "again", effect: .done)
    }

    static func undecided(_ problem: String, after milliseconds: UInt64) -> HearthError {
        HearthError(
            .undecided,
            "no node could tell within \(milliseconds) ms whether the write was done: \(problem)",
            fix:
                "read the place to see whether it was; bring back the node that this client wrote to",
            effect: .unknown)
    }

    static func timedOut(waiting milliseconds: UInt64, at node: String, effect: Effect)
        -> HearthError
    {
        HearthError(
            .timedOut, "\(node) did not answer within \(milliseconds) ms",
            fix: effect == .none
                ? "try again, with more time or at another node"
                : "read the place to see whether the write happened, then write again if it did not",
            effect: effect)
    }

    static func disconnected(from node: String) -> HearthError {
        HearthError(
            .disconnected, "the connection to \(node) was lost before it answered",
            fix: "read the place to see whether the write happened; it is not repeated by itself "
                + "because that might do it twice", effect: .unknown)
    }

    /// The error of a read while the program is offline.
    static func offline(at path: Path) -> HearthError {
        HearthError(
            .offline, "\(path) is not known here, and this program is offline",
            fix: "call goOnline(), or observe the place before going offline")
    }

    static func purged(at path: Path, effect: Effect) -> HearthError {
        HearthError(
            .cancelled, "purgeOutstandingWrites() took back the write at \(path)",
            fix: effect == .none
                ? "write again, if it is wanted" : "read the place to see whether it happened",
            effect: effect)
    }

    static func full(_ count: Int) -> HearthError {
        HearthError(
            .full, "\(count) requests wait for answers already",
            fix: "wait for answers before you send more requests, or connect to a node that answers"
        )
    }

    static func overwritten(at path: Path) -> HearthError {
        HearthError(
            .overwritten, "this program wrote at \(path) while the transaction there was open",
            fix: "begin the transaction again, or write only by transactions there")
    }

    static func triedTooOften(_ tries: Int, at path: Path) -> HearthError {
        HearthError(
            .triedTooOften, "others changed \(path) during each of \(tries) tries",
            fix: "begin the transaction again, further down in the tree or later")
    }

    static func informationIsFixed(_ path: Path) -> HearthError {
        HearthError(
            .invalid, "Can't modify data under /.info/",
            fix: "write somewhere else than at \(path), which only tells of this client")
    }
}
