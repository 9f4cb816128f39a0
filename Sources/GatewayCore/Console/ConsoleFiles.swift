internal import DataTree

/// A file of the console, as a browser loads it.
public struct ConsoleFile: Equatable, Sendable {
    /// Its bytes.
    public let bytes: [UInt8]
    /// Its media type.
    public let type: String
    /// Its ETag, a hash of the bytes.
    let tag: String

    /// A file at a path, whose ending decides on the type.
    public init(_ bytes: [UInt8], at path: String) {
        self.bytes = bytes
        type = ConsoleFile.type(of: path)
        var digest = SHA1()
        digest.update(String(decoding: bytes, as: UTF8.self))
        tag = "\"\(digest.base64())\""
    }

    private static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}

/// A node of the cluster, as the console shows it.
public struct ConsoleNode: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Its address for browsers, such as `http://127.0.0.1:7001`; empty if it has none that all may know.
    public var address: String

    /// Its address for links, which only those learn who sign in.
    public var page: String

    /// A node with a name and addresses.
    public init(name: String, address: String, page: String) {
        (self.name, self.address, self.page) = (name, address, page)
    }
}

/// The console of a node: its files, and the cluster that it shows.
public struct Console: Sendable {
    /// Returns the file at a path below the console's folder, such as `base/feed.js`; nil if there is none.
    public var file: @Sendable (String) -> ConsoleFile?
    /// The name of the node that serves the console.
    public var node = ""
    /// The name of the cluster.
    public var cluster = ""
    /// All nodes of the cluster.
    public var nodes: [ConsoleNode] = []

    /// A console with these files.
    public init(_ file: @escaping @Sendable (String) -> ConsoleFile?) { self.file = file }
}
