import DataTree

/// Places in order, in pieces that are never empty and small enough to shift.
///
/// - Complexity: a search is O(log n); a change also shifts one piece, and now and then the list of
///   pieces, which are moves of memory that stay below a microsecond up to a million places.
struct PlaceList: Sendable {
    private static let limit = 256

    private var pieces: [[Place]]

    /// Takes places in any order.
    init(_ places: [Place]) {
        let places = places.sorted()
        pieces = stride(from: 0, to: places.count, by: PlaceList.limit / 2).map { start in
            Array(places[start..<min(start + PlaceList.limit / 2, places.count)])
        }
    }

    mutating func insert(_ place: Place) {
        guard !pieces.isEmpty else { return pieces.append([place]) }
        let piece = max(0, pieceCount(upTo: place) - 1)
        pieces[piece].insert(place, at: PlaceList.rank(of: place, in: pieces[piece]))
        if pieces[piece].count > PlaceList.limit {
            let half = Array(pieces[piece][(PlaceList.limit / 2)...])
            pieces[piece].removeLast(half.count)
            pieces.insert(half, at: piece + 1)
        }
    }

    /// Removes a place that is in the list.
    mutating func remove(_ place: Place) {
        let piece = pieceCount(upTo: place) - 1
        precondition(piece >= 0, "\(place.key) is in no piece")
        let index = PlaceList.rank(of: place, in: pieces[piece])
        precondition(
            index < pieces[piece].count && pieces[piece][index].key == place.key,
            "\(place.key) is not where the order says")
        pieces[piece].remove(at: index)
        if pieces[piece].isEmpty { pieces.remove(at: piece) }
    }

    /// The place just before `place`, whether or not that one is in the list.
    func entry(before place: Place) -> Place? {
        let piece = pieceCount(upTo: place) - 1
        guard piece >= 0 else { return nil }
        let index = PlaceList.rank(of: place, in: pieces[piece])
        if index > 0 { return pieces[piece][index - 1] }
        return piece > 0 ? pieces[piece - 1].last : nil
    }

    /// How many pieces begin with the place or with one before it.
    private func pieceCount(upTo place: Place) -> Int {
        PlaceList.partition(pieces.count) { !(place < pieces[$0][0]) }
    }

    /// How many places of a piece come before the place.
    private static func rank(of place: Place, in piece: [Place]) -> Int {
        partition(piece.count) { piece[$0] < place }
    }

    /// How many of the first numbers below `count` fulfil a condition that all others do not.
    private static func partition(_ count: Int, _ isFulfilled: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isFulfilled(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
