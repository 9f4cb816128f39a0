internal import CLibrary
internal import CZeroMQ

/// Says what ZeroMQ refused, and what to do about it.
public struct ZeroMQError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of the problem, to switch on.
    public enum Code: Equatable, Sendable {
        /// Another socket of this machine has the endpoint.
        case addressInUse
        /// The address belongs to no network interface of this machine.
        case addressUnavailable
        /// The system does not let this user have the endpoint.
        case permissionDenied
        /// The text is not an endpoint that this socket can use.
        case invalidEndpoint
        /// The process or the context can have no more sockets.
        case tooManySockets
        /// Anything else, with the number ZeroMQ gives it.
        case other(Int32)
    }

    package let code: Code
    /// The problem, naming the endpoint.
    public let problem: String
    /// The fix.
    public let fix: String

    /// The text of it.
    public var description: String { "\(problem): \(fix)" }

    /// Describes the error `number` of an attempt to do `action`, such as "bind".
    init(trying action: String, _ subject: String, number: Int32 = zmq_errno()) {
        code = Code(number)
        problem = "cannot \(action) \(subject): \(code.reason(number))"
        fix = code.fix(for: subject)
    }
}

extension ZeroMQError.Code {
    init(_ number: Int32) {
        self =
            switch number {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL, ENODEV: .addressUnavailable
            case EACCES, EPERM: .permissionDenied
            case EINVAL, EPROTONOSUPPORT, ENOTSUP, ENOCOMPATPROTO, ENAMETOOLONG: .invalidEndpoint
            case EMFILE: .tooManySockets
            default: .other(number)
            }
    }

    fileprivate func reason(_ number: Int32) -> String {
        switch self {
        case .addressInUse: "address already in use"
        case .addressUnavailable: "no network interface of this machine has that address"
        case .permissionDenied: "permission denied"
        case .invalidEndpoint: "not an endpoint this socket can use"
        case .tooManySockets: "too many open sockets"
        case .other: String(cString: zmq_strerror(number)).lowercased()
        }
    }

    fileprivate func fix(for endpoint: String) -> String {
        switch self {
        case .addressInUse: inUseFix(for: endpoint)
        case .addressUnavailable:
            "use 127.0.0.1, an address of this machine, or * for all (`ip address` lists them)"
        case .permissionDenied:
            "choose a port of 1024 or more, or a path this user may write"
        case .invalidEndpoint:
            "write tcp://HOST:PORT with a port from 1 to 65535, or ipc://PATH with a short path"
        case .tooManySockets: "raise the limit with `ulimit -n`, or close what is not needed"
        case .other: "check the endpoint and the network, then try again"
        }
    }

    private func inUseFix(for endpoint: String) -> String {
        guard let port = port(of: endpoint) else {
            return "stop the process that uses it, or choose another endpoint"
        }
        return "stop the process on port \(port), or choose another port"
    }
}
