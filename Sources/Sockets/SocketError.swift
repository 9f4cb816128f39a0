internal import CLibrary
internal import TLS

/// Says what the system refused a socket, and what to do about it.
public struct SocketError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem, with the address.
    public let problem: String
    /// The remedy.
    public let fix: String
    /// The system's number of the error; 0 or less if the system has none for it.
    let number: Int32
    /// In place of the system's number.
    private static let lookupFailure: Int32 = -1

    /// Whether the host's name could not be looked up.
    public var isLookupFailure: Bool { number == SocketError.lookupFailure }
    /// Whether the other machine refuses the connection: no process listens there.
    public var isRefused: Bool { number == ECONNREFUSED }
    /// Whether the other machine did not answer.
    public var isSilence: Bool { [ETIMEDOUT, EHOSTUNREACH].contains(number) }

    /// Whether the system has no addresses of that family, such as IPv6.
    var isUnsupportedFamily: Bool { number == EAFNOSUPPORT }

    /// The text of it.
    public var description: String { "\(problem): \(fix)" }

    /// Describes the error `number` of an attempt to do `action`, such as "bind".
    init(trying action: String, _ address: HTTPAddress, number: Int32 = errno) {
        let reason = SocketError.reason(number)
        problem = "cannot \(action) \(address.location): \(reason)"
        fix = SocketError.fix(number, for: address)
        self.number = number
    }

    init(unknownHost address: HTTPAddress) {
        problem = "cannot find the host of \(address.location)"
        fix =
            "check the name (`getent hosts \(address.host)` looks it up), or write its address in numbers"
        number = SocketError.lookupFailure
    }

    init(unansweredHost address: HTTPAddress) {
        problem = "cannot find the host of \(address.location): the name service does not answer"
        fix = "check the network and /etc/resolv.conf, then try again"
        number = SocketError.lookupFailure
    }

    /// TLS refused what the other end sent, or its files.
    init(_ error: TLSError, trying action: String, _ address: HTTPAddress) {
        problem = "cannot \(action) \(address.location): \(error.problem)"
        fix = error.fix
        number = 0
    }

    private static func reason(_ number: Int32) -> String {
        switch number {
        case EADDRINUSE: "address already in use"
        case EADDRNOTAVAIL: "no network interface of this machine has that address"
        case ECONNREFUSED: "nothing answers there"
        case EMFILE, ENFILE: "too many open sockets"
        default: String(cString: strerror(number)).lowercased()
        }
    }

    private static func fix(_ number: Int32, for address: HTTPAddress) -> String {
        switch number {
        case EADDRINUSE:
            "stop the process on port \(address.port), or choose another port"
        case EADDRNOTAVAIL:
            "use 127.0.0.1, or an address of this machine (`ip address` lists them)"
        case EACCES, EPERM: "choose a port of 1024 or more"
        case ECONNREFUSED: "start the node, or correct the address"
        case EMFILE, ENFILE: "raise the limit with `ulimit -n`, or close what is not needed"
        default: "check the address and the network, then try again"
        }
    }
}
