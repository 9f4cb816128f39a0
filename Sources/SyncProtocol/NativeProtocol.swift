/// How native clients reach a node's HTTP port: a WebSocket, each of whose binary messages is one frame.
public enum NativeProtocol {
    /// The path that a client requests.
    public static let path = "/.hearth"
    /// The subprotocol that both ends name.
    public static let name = "hearth.1"
    /// The largest frame of a client, in bytes.
    public static let requestLimit = 32 << 20
    /// The largest frame of a node, in bytes: whatever one read may be answered by.
    public static let answerLimit = 1 << 30
}
