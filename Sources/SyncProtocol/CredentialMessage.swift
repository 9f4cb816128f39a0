/// What the ends of a native client's WebSocket say of who the client is: text messages, in order with the frames around them.
///
/// What a client shows by its request for the WebSocket holds until a message says something else.
public enum CredentialMessage: Equatable, Sendable {
    /// `token T`, of a client: what follows is done as whom this token, or secret, shows. One that shows nobody ends the
    /// connection.
    case token(String)
    /// `none`, of a client: what follows is done as nobody.
    case none
    /// `ok`, of a node: what came before was accepted.
    case accepted
    /// `expired`, of a node: what the client has shown shows nobody any more.
    case expired

    private static let prefix = "token "

    /// Reads a message; nil for what is none.
    public init?(_ bytes: [UInt8]) {
        switch String(decoding: bytes, as: UTF8.self) {
        case "none": self = .none
        case "ok": self = .accepted
        case "expired": self = .expired
        case let text where text.hasPrefix(CredentialMessage.prefix):
            self = .token(String(text.dropFirst(CredentialMessage.prefix.count)))
        default: return nil
        }
    }

    /// The text of the message.
    public var bytes: [UInt8] {
        switch self {
        case .token(let text): Array((CredentialMessage.prefix + text).utf8)
        case .none: Array("none".utf8)
        case .accepted: Array("ok".utf8)
        case .expired: Array("expired".utf8)
        }
    }
}
