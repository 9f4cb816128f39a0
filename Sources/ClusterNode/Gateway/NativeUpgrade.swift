internal import HTTPText
internal import SyncProtocol

/// A node's answer to a request at its HTTP port.
enum PortAnswer: Equatable {
    /// The connection is a native client's from now on; these bytes tell it.
    case native([UInt8])
    /// A status, with a text for whoever reads it.
    case refusal(status: Int, text: String)
}

/// Decides which requests make a connection a native client's.
struct NativeUpgrade {
    /// Loopback names and addresses; a page of another site, and a site whose name was made to point here, are refused.
    private let hosts = HostRule(names: [])
    private let origins = OriginRule(origins: [])

    func answer(to head: RequestHead) -> PortAnswer {
        guard hosts.permits(head.authority) else {
            return .refusal(status: 421, text: "This node is not known by that name.")
        }
        guard origins.decide(head) != .refused else {
            return .refusal(status: 403, text: "Pages of that site may not use this node.")
        }
        guard head.target.pathText == NativeProtocol.path else {
            return .refusal(status: 404, text: "Native clients connect to \(NativeProtocol.path).")
        }
        guard head.method == .get, head.asksToUpgrade(to: "websocket"),
            head.value(of: "sec-websocket-version") == WebSocketUpgrade.version
        else {
            return .refusal(
                status: 426, text: "Ask for a WebSocket of version \(WebSocketUpgrade.version).")
        }
        guard let key = head.value(of: "sec-websocket-key"), WebSocketUpgrade.isKey(key),
            head.lists("hearth.1", in: "sec-websocket-protocol")
        else {
            return .refusal(
                status: 400, text: "Send one key, and the subprotocol \(NativeProtocol.name).")
        }
        return .native(WebSocketUpgrade.answer(to: key, subprotocol: NativeProtocol.name))
    }
}
