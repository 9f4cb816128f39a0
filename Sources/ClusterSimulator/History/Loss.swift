/// What a node had stored within these times may be gone, with its disk or because nothing of it was
/// synced.
struct Loss {
    var node: Int
    var since: Microseconds
    var until: Microseconds
}
