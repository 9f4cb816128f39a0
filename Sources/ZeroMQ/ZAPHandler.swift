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

    /// - Parameter admitted: The keys let in, by the domain of the sockets.
    /// - Throws: when the context has a gatekeeper already.
    public init(admitting admitted: [String: Set<PublicKey>], in context: Context)
        throws(ZeroMQError)
    {
        self.admitted = admitted
        socket = try Socket(.router, in: context)
        try socket.bind(ZAPHandler.endpoint)
    }

    /// Decides about one newcomer, and tells.
    ///
    /// - Parameter request: The asking thread's name, an empty frame, the version, the request's number,
    ///   the domain, an address, an identity, the mechanism and the newcomer's key.
    public func answer(_ request: [[UInt8]]) {
        guard request.count >= 8 else { return }
        let isAdmitted = isAdmitted(request)
        if !isAdmitted { refusals += 1 }
        let status = isAdmitted ? "200" : "400"
        let reason = isAdmitted ? "" : "this key is not admitted"
        socket.send([
            request[0], [], ZAPHandler.version, request[3], Array(status.utf8),
            Array(reason.utf8), [], [],
        ])
    }

    private func isAdmitted(_ request: [[UInt8]]) -> Bool {
        guard request.count == 9, request[7].elementsEqual("CURVE".utf8),
            let key = request[8].withUnsafeBytes({ PublicKey($0) })
        else { return false }
        return admitted[String(decoding: request[4], as: UTF8.self)]?.contains(key) ?? false
    }
}
