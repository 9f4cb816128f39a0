/// A text message about a client's credential on the WebSocket of a native client, in order with the frames around
/// it.
///
/// The credential of the request that opened the WebSocket holds until another one replaces it.
public enum CredentialMessage: Equatable, Sendable {
    /// `token T`, of a client: the following requests use this token or secret. An invalid one ends the connection.
    case token(String)
    /// `none`, of a client: the following requests have no credential.
    case none
    /// `ok`, of a node: what came before was accepted.
    case accepted
    /// `expired`, of a node: the client's credential has expired.
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
