/// A process that began while all other members served.
struct ServiceStart {
    let node: Int
    let incarnation: Int
    let began: Microseconds
    /// When it served its clients; nil until then.
    var served: Microseconds?
    /// Whether another process ended or began meanwhile.
    var isDisturbed = false
}
