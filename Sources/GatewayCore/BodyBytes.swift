internal import Rules

/// The bytes of all incomplete bodies, and the part of them from clients without a credential.
///
/// These clients share a quarter of the memory, so that there is always room for others.
struct BodyBytes {
    private let limit: Int
    private(set) var total = 0
    private var ofAnonymous = 0

    /// No bytes, of which there may be so many.
    init(limit: Int) { self.limit = limit }

    /// Adds bytes from a client; returns false if that is too much.
    mutating func add(_ count: Int, by sender: Principal) -> Bool {
        total += count
        guard sender == .anonymous else { return total <= limit }
        ofAnonymous += count
        return total <= limit && ofAnonymous <= limit / 4
    }

    /// Removes bytes from a client.
    mutating func remove(_ count: Int, by sender: Principal) {
        total -= count
        if sender == .anonymous { ofAnonymous -= count }
    }
}
