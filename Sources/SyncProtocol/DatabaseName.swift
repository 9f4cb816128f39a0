/// The name of a database: 1 to 63 characters of `a-z`, `0-9` and `-`, which do not begin with `-`. The catalog alone has
/// another name.
public struct DatabaseName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The most characters of a name.
    public static let longest = 63
    /// The database of clients that name none.
    public static let `default` = DatabaseName(unchecked: "default")

    /// The database that says where the others are.
    public static let catalog = DatabaseName(unchecked: "_catalog")

    /// The name as clients write it.
    public let text: String

    /// Checks a name; nil for an invalid one.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...DatabaseName.longest).contains(bytes.count), bytes.first != UInt8(ascii: "-"),
            bytes.allSatisfy(\.isInDatabaseName)
        else { return nil }
        self.text = text
    }

    /// Checks a name that a client or a user has written, where capitals are small letters, as in the names of hosts.
    public init?(anyCase text: String) {
        let isCapital = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let bytes = text.utf8.map { isCapital.contains($0) ? $0 | 0x20 : $0 }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Checks a name that a node has written, which may be that of the catalog; nil for an invalid one.
    public init?(stored text: String) {
        if text == Self.catalog.text { self = .catalog } else { self.init(text) }
    }

    private init(unchecked text: String) { self.text = text }

    /// Whether clients that name no database use this one.
    public var isDefault: Bool { self == .default }

    /// Whether it is the catalog, which only administrators may use.
    public var isCatalog: Bool { self == .catalog }

    /// The name.
    public var description: String { text }

    /// Orders names by their characters.
    public static func < (one: DatabaseName, other: DatabaseName) -> Bool { one.text < other.text }
}

extension UInt8 {
    fileprivate var isInDatabaseName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
