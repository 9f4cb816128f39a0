import ClientCore
import DataTree
import ReplicaCore
import SyncProtocol

/// The program of a user of the library, which writes server timestamps at locations where rules
/// compare them with `now`.
struct TimesProgram {
    /// The locations at which the rules require a time that equals `now`, is not after it, is after
    /// it, or any number.
    private enum Place: String {
        case exact, past, future, count

        var key: Key { Key(unchecked: rawValue) }
    }

    private static let above = UserProgram.path("times")
    private static let timestamp = Value.deferred(.timestamp)

    let identity: UserIdentity
    var remaining: Int

    /// The next request; nil once there are no more.
    mutating func next(_ random: inout SplitMix64) -> Request.Work? {
        guard remaining > 0, let uid = identity.uid else { return nil }
        remaining -= 1
        let path = TimesProgram.above.appending(Key(unchecked: uid))
        switch random.index(below: 8) {
        case 0: return .put(path.appending(Place.future.key), TimesProgram.timestamp)
        case 1, 2: return .put(path.appending(Place.past.key), TimesProgram.timestamp)
        case 3, 4:
            let one = Value.deferred(.increment(.integer(1)))
            return .merge(
                path,
                [
                    Write(path: Path([Place.exact.key]), value: TimesProgram.timestamp),
                    Write(path: Path([Place.past.key]), value: TimesProgram.timestamp),
                    Write(path: Path([Place.count.key]), value: one),
                ])
        default: return .put(path.appending(Place.exact.key), TimesProgram.timestamp)
        }
    }

    /// A request as its user means it, whatever times its library has put into it: a server timestamp has the time at which the
    /// node judges it. Nil for a request of other clients.
    static func intended(_ request: ClientRequest) -> ClientRequest? {
        switch request {
        case .put(let put) where above.contains(put.path):
            return ClientMessage.put(id: 0, path: put.path, value: timestamp).request
        case .merge(let merge) where above.contains(merge.path):
            let writes = merge.writes.map {
                $0.path.last == Place.count.key ? $0 : Write(path: $0.path, value: timestamp)
            }
            return ClientMessage.merge(id: 0, path: merge.path, writes: writes).request
        default: return nil
        }
    }
}

extension ClientRequest {
    /// The time of the server timestamps in a write with a stamp.
    var now: UInt64? {
        switch self {
        case .put(let put): put.now
        case .merge(let merge): merge.now
        default: nil
        }
    }
}
