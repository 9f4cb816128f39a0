internal import DataTree
internal import SyncProtocol

/// A read of `/metrics`.
struct MetricsExchange {
    private let id: UInt64

    init(_ numbers: inout RequestNumbers) { id = numbers.next() }

    /// The request to the replica.
    var opening: [ClientMessage] { [.status(id: id)] }

    func step(_ message: NodeMessage) -> Exchange.Step {
        switch message {
        case .value(id, let value):
            do throws(DataError) {
                return .shows(try NodeStatus(value))
            } catch {
                preconditionFailure("a replica's own status: \(error.problem)")
            }
        case .error(id, let code, let problem, let fix):
            return .answers(Answer(RestFailure(code, problem, fix: fix, isWrite: false)))
        default: return .waits
        }
    }
}
