internal import CZeroMQ

/// Decides which peers a context's sockets let in, by their public keys.
///
/// One a context, made before the sockets it guards are bound. Hand each message of `socket` to
/// `answer(_:)`: until then, newcomers wait. Source: ZAP (ZeroMQ RFC 27).
public final class ZAPHandler {
    private static let endpoint = "inproc://zeromq.zap.01"
    private static let version = Array("1.0".utf8)

    /// The socket for requests of the context.
    public let socket: Socket
    /// Newcomers that were sent away.
    public private(set) var refusals = 0
    private let admitted: [String: Set<PublicKey>]

    /// A newcomer that was sent away.
    public struct Refusal: Equatable, Sendable {
        /// The key that it owns.
        public let key: PublicKey
        /// The address of its machine, without the port.
        public let address: String

        /// A process with this key was refused.
        public init(key: PublicKey, address: String) {
            self.key = key
            self.address = address
        }
    }

    /// - Parameter admitted: The keys let in, by the domain of the sockets.
    /// - Throws: when the context has a gatekeeper already.
    public init(admitting admitted: [String: Set<PublicKey>], in context: Context)
        throws(ZeroMQError)
    {
        self.admitted = admitted
        socket = try Socket(.router, in: context)
        try socket.bind(ZAPHandler.endpoint)
    }

    /// Decides about one newcomer, and answers.
    ///
    /// - Parameter request: The asking thread's name, an empty frame, the version, the request's number,
    ///   the domain, an address, an identity, the mechanism and the newcomer's key.
    /// - Returns: The newcomer, if it has a key and was refused.
    @discardableResult
    public func answer(_ request: [[UInt8]]) -> Refusal? {
        guard request.count >= 8 else { return nil }
        let key = ZAPHandler.key(in: request)
        let domain = String(decoding: request[4], as: UTF8.self)
        let isAdmitted = key.map { admitted[domain]?.contains($0) ?? false } ?? false
        if !isAdmitted { refusals += 1 }
        let status = isAdmitted ? "200" : "400"
        let reason = isAdmitted ? "" : "this key is not admitted"
        socket.send([
            request[0], [], ZAPHandler.version, request[3], Array(status.utf8),
            Array(reason.utf8), [], [],
        ])
        guard !isAdmitted, let key else { return nil }
        return Refusal(key: key, address: String(decoding: request[5], as: UTF8.self))
    }

    private static func key(in request: [[UInt8]]) -> PublicKey? {
        guard request.count == 9, request[7].elementsEqual("CURVE".utf8) else { return nil }
        return request[8].withUnsafeBytes { PublicKey($0) }
    }
}
