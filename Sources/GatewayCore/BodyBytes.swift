internal import Rules

/// The bytes of all bodies that are not complete, and how many of them are sent by those who show nothing.
///
/// They get a quarter of the memory: whatever they send, there is room for others.
struct BodyBytes {
    private let limit: Int
    private(set) var total = 0
    private var ofAnonymous = 0

    /// No bytes, of which there may be so many.
    init(limit: Int) { self.limit = limit }

    /// Adds what somebody has sent; false if that is too much.
    mutating func add(_ count: Int, by sender: Principal) -> Bool {
        total += count
        guard sender == .anonymous else { return total <= limit }
        ofAnonymous += count
        return total <= limit && ofAnonymous <= limit / 4
    }

    /// Removes what somebody has sent.
    mutating func remove(_ count: Int, by sender: Principal) {
        total -= count
        if sender == .anonymous { ofAnonymous -= count }
    }
}
