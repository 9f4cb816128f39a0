import DataTree
import SyncProtocol

/// The requirements for a list of children, whatever the data are.
struct ListingExpectation {
    /// The key from which it begins.
    let first: Key?
    let limit: Int?

    /// The problem of a list; nil if it is right.
    func problem(with value: Value) -> String? {
        let listing = ChildListing(value)
        if listing.value != value { return "says more than a list does" }
        let keys = listing.entries.map(\.key)
        if !listing.leaf.isNull {
            return listing.count == 0 && keys.isEmpty ? nil : "has a leaf and children"
        }
        if keys.count > limit ?? .max { return "has more than \(limit ?? 0) children" }
        if zip(keys, keys.dropFirst()).contains(where: { $0 >= $1 }) { return "is out of order" }
        if let first, let least = keys.first, least < first { return "begins before \(first)" }
        guard let next = listing.next else {
            let isWhole = first == nil ? keys.count == listing.count : keys.count <= listing.count
            return isWhole ? nil : "has no end and \(listing.count) children"
        }
        guard let last = keys.last, last < next else { return "goes on at \(next)" }
        return listing.count > keys.count ? nil : "goes on, and has \(listing.count) children"
    }
}
