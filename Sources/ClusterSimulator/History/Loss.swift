/// Operations that a node stored between these times may be lost: its disk is lost, or they were not
/// synced.
struct Loss {
    var node: Int
    var since: Microseconds
    var until: Microseconds
}
