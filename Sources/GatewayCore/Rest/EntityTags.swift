internal import DataTree
internal import HTTPText

/// The ETag headers of a request. The ETag of a value is its data hash; that of an empty location is `null_etag`.
struct EntityTags: Equatable {
    /// `if-match`: what has to be there for a write to be done.
    let required: String?
    /// `if-none-match`: what the client has, and need not get again.
    let known: String?
    private let isRequested: Bool

    init(_ head: RequestHead) {
        required = head.value(of: "if-match").map(EntityTags.unquoted)
        known = head.value(of: "if-none-match").map(EntityTags.unquoted)
        isRequested = head.value(of: "x-firebase-etag")?.lowercased() == "true"
    }

    /// Whether the answer has an ETag, which costs a hash of the value.
    var isWanted: Bool { isRequested || required != nil || known != nil }

    /// The hash that has to be there for a write to be done; nil for a tag that no value has.
    ///
    /// Such a tag is compared like others, so the answer is that it differs, and not that it is malformed.
    var requiredHash: DataHash? {
        guard let required else { return nil }
        if required == EntityTags.null { return DataHash(of: .null) }
        return required.utf8.count == 28 ? DataHash(text: required) : nil
    }

    /// The tag of nothing.
    static let null = "null_etag"

    /// Firebase's tags are bare; proxies and libraries write them as HTTP wants it.
    private static func unquoted(_ text: String) -> String {
        let bare = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        guard bare.count >= 2, bare.hasPrefix("\""), bare.hasSuffix("\"") else {
            return String(bare)
        }
        return String(bare.dropFirst().dropLast())
    }
}
