/// A request for a copy of a node's database, and when it was answered.
struct CopyRequest {
    var node: Int
    var incarnation: Int
    var asked: Microseconds
    var answered: Microseconds?
}
