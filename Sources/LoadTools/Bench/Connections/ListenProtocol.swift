internal import DataTree
internal import HTTPText
internal import QueryEngine
internal import Sockets
internal import SyncProtocol
internal import TLS

/// A location to which load clients listen.
struct ListenTarget {
    var path: Path
    /// How many of its last children a client sees; nil for all.
    var lastChildren: Int?
}

/// A protocol through which a load client listens to a location.
enum ListenProtocol: String, CaseIterable {
    case native
    /// Server-sent events over REST.
    case events
    /// Firebase's WebSocket protocol.
    case firebase

    /// The bytes with which a client begins: the request of a WebSocket, or the request that listens.
    func opening(
        to address: HTTPAddress, at target: ListenTarget, showing secret: Secret?
    ) -> [UInt8] {
        let lines =
            switch self {
            case .events:
                [
                    "GET \(target.path).json\(Self.parameters(target, secret)) HTTP/1.1",
                    "Accept: text/event-stream",
                ]
            case .native:
                Self.upgrade(NativeProtocol.path)
                    + ["Sec-WebSocket-Protocol: \(NativeProtocol.name)"]
                    + (secret.map { ["Authorization: \($0.authorization)"] } ?? [])
            case .firebase: Self.upgrade("/.ws?v=5")
            }
        let head = lines + ["Host: \(address.authority)"]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The parameters of a REST request.
    private static func parameters(_ target: ListenTarget, _ secret: Secret?) -> String {
        var parameters =
            target.lastChildren.map { ["orderBy=%22%24key%22", "limitToLast=\($0)"] } ?? []
        if let secret { parameters.append("auth=\(secret.text)") }
        return parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
    }

    private static func upgrade(_ path: String) -> [String] {
        [
            "GET \(path) HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: \(WebSocketUpgrade.version)",
        ]
    }

    /// The beginning of the answer with which the node accepts the opening.
    var acceptance: [UInt8] { Array((self == .events ? "HTTP/1.1 200 " : "HTTP/1.1 101 ").utf8) }

    /// The messages that sign in and listen, for the WebSocket that the node has accepted; empty if the opening does both.
    func listen(
        at target: ListenTarget, showing secret: Secret?,
        using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        switch self {
        case .events: return []
        case .native:
            let listen = ClientMessage.listen(id: 1, path: target.path, query: target.query)
            return WebSocketClient.frame(.binary, listen.frame, using: &random)
        case .firebase:
            let query =
                target.lastChildren.map { #","q":{"l":\#($0),"vf":"r","i":".key"},"t":1"# } ?? ""
            let listen =
                #"{"t":"d","d":{"r":2,"a":"q","b":{"p":"\#(target.path)"\#(query),"h":""}}}"#
            let auth = secret.map {
                #"{"t":"d","d":{"r":1,"a":"auth","b":{"cred":"\#($0.text)"}}}"#
            }
            return [auth, listen].compactMap(\.self).flatMap {
                WebSocketClient.frame(.text, Array($0.utf8), using: &random)
            }
        }
    }

    /// Bytes that only an answer to the listen has; an answer of the native protocol comes alone.
    var confirmation: [UInt8] {
        switch self {
        case .native: []
        case .events: Array("event: put".utf8)
        case .firebase: Array(#""r":2,"b":{"s":"ok""#.utf8)
        }
    }
}

extension ListenTarget {
    fileprivate var query: Query {
        guard let lastChildren else { return Query() }
        do throws(DataError) {
            return try Query().orderedByKey().limited(toLast: lastChildren)
        } catch {
            preconditionFailure("a limit of \(lastChildren) is a query: \(error.problem)")
        }
    }
}
