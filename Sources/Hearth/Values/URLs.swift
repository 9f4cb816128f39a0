internal import DataTree
internal import Foundation

// Places as URLs: the address of a node, and the keys of the path, percent-encoded.

extension Path {
    /// A slash before each key; empty for the root.
    var urlText: String {
        keys.map { "/" + Path.encoded($0.text) }.joined()
    }

    private static func encoded(_ key: String) -> String {
        key.addingPercentEncoding(withAllowedCharacters: allowed) ?? key
    }

    /// Letters, digits and what else RFC 3986 leaves unreserved.
    private static let allowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// Takes the path of a URL, behind its scheme, host and port.
    init(url: String) throws(DataError) {
        let wrong = DataError(
            problem: "\(url) is not a URL of a location",
            fix: "write an address and a path, as in http://127.0.0.1:7001/rooms/lobby")
        guard let scheme = url.range(of: "://") else { throw wrong }
        let rest = url[scheme.upperBound...].prefix { $0 != "?" }
        let text = rest.drop { $0 != "/" }.split(separator: "/")
        var keys: [Key] = []
        for part in text {
            guard let key = part.removingPercentEncoding else { throw wrong }
            keys.append(contentsOf: try Path(key).keys)
        }
        self = Path(keys)
    }
}
