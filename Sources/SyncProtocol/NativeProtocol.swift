/// How native clients reach a node's HTTP port: a WebSocket, each of whose binary messages is one frame.
public enum NativeProtocol {
    /// The path that a client without the name of a database requests. The first label of the host may name one.
    public static let path = "/.hearth"

    /// The path that a client of a database requests: `/.hearth/chat`; nil is a client without a name. A node without named
    /// databases answers 404 to a name.
    ///
    /// - Parameter isOnlyExisting: Whether the client refuses to create the database (`create=false`), whatever the cluster does
    ///   with unknown names.
    public static func path(of database: DatabaseName?, onlyExisting isOnlyExisting: Bool = false)
        -> String
    {
        guard let database else { return path }
        return "\(path)/\(database)" + (isOnlyExisting ? "?\(onlyExisting)" : "")
    }

    /// The parameter of a path by which a client creates no database.
    public static let onlyExisting = "create=false"

    /// Whether clients request this path.
    public static func isPath(_ text: String) -> Bool {
        text == path || databaseText(inPath: text) != nil
    }

    /// The text of a path that names the database; nil in the path without a name, and in other paths.
    public static func databaseText(inPath text: String) -> String? {
        let prefix = path + "/"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.utf8.count)) : nil
    }

    /// The subprotocol that both ends name.
    public static let name = "hearth.1"
    /// The largest frame of a client, in bytes.
    public static let requestLimit = 32 << 20
    /// The largest frame of a node, in bytes: whatever one read may be answered by.
    public static let answerLimit = 1 << 30
}
