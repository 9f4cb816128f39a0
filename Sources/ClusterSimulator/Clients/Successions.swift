import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

/// The writes of a Firebase client at a location of its own, sent one behind the other without waiting for answers.
///
/// Some are transactions. Each writes a value that names the client, the session and the number of the write in it, so that a
/// check can compare the order of the effects with the order of the requests. None is sent again.
struct Successions {
    static let root = Path([Key(unchecked: "order")])

    /// The value of one of them.
    struct Name: Equatable {
        let client: Int
        let session: Int
        let number: Int

        var value: Value { .string("\(client).\(session).\(number)") }

        init(client: Int, session: Int, number: Int) {
            (self.client, self.session, self.number) = (client, session, number)
        }

        init?(_ value: Value) {
            guard case .string(let text) = value.content else { return nil }
            let parts = text.split(separator: ".").compactMap { Int($0) }
            guard parts.count == 3 else { return nil }
            self.init(client: parts[0], session: parts[1], number: parts[2])
        }
    }

    private let client: Int
    private var session = 0
    private var number = 0
    /// The value of the location if all earlier writes are done.
    private var last = Value.null

    init(of client: Int) { self.client = client }

    var key: Key { Key(unchecked: "c\(client + 1)") }

    mutating func beginSession() {
        session += 1
        number = 0
    }

    /// The actions and bodies of the next requests.
    mutating func draw(_ random: inout SplitMix64) -> [(action: String, body: String)] {
        (0..<2 + random.index(below: 3)).map { _ in
            number += 1
            let value = Name(client: client, session: session, number: number).value
            defer { last = value }
            let path = Successions.root.appending(key)
            switch random.index(below: 5) {
            case 0: return ("p", FirebaseText.put(path, value))
            case 1:
                let write = Write(path: Path([key]), value: value)
                return ("m", FirebaseText.merge(Successions.root, [write]))
            default: return ("p", FirebaseText.put(path, value, if: DataHash(of: last)))
            }
        }
    }
}

extension FirebaseClient {
    mutating func sendSuccession() {
        guard isReady else { return }
        for (action, body) in successions.draw(&random) { request(.other, action, body) }
    }
}
