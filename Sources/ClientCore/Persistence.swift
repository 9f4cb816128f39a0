import DataTree
import QueryEngine
import SyncProtocol

/// Something to keep for the next incarnation of the application; the driver need not understand it.
public enum Record: Equatable, Sendable {
    /// A write that no node has answered; the frame asks a node for it.
    case write(number: UInt64, frame: [UInt8])
    /// The write with this number is not to be sent any more.
    case writeEnded(number: UInt64)
    /// What was last told of a listen; it takes the place of what was kept under the same key.
    case value(key: String, frame: [UInt8])
}

/// A write that an earlier incarnation of the application has left behind.
public struct KeptWrite: Equatable, Sendable {
    public let number: UInt64
    public let frame: [UInt8]

    public init(number: UInt64, frame: [UInt8]) {
        self.number = number
        self.frame = frame
    }
}

/// What is to be kept, until the driver takes it.
struct Persistence: Sendable {
    private(set) var records: [Record] = []
    private var lastNumber: UInt64 = 0
    /// The listens whose values were asked for.
    private var recalled: [String: ServerListen] = [:]
    /// No values are kept again before this moment.
    private var rest: UInt64 = 0

    mutating func takeRecords() -> [Record] {
        defer { records = [] }
        return records
    }

    /// Keeps a write and returns its number.
    mutating func keep(_ work: Request.Work) -> UInt64 {
        lastNumber += 1
        keep(work, nil, as: lastNumber)
        return lastNumber
    }

    /// Keeps a write with its stamp, in place of what was kept under its number.
    mutating func keep(_ work: Request.Work, _ stamp: Stamp?, as number: UInt64) {
        let frame = work.message(id: number, stamp: stamp).frame
        records.append(.write(number: number, frame: frame))
    }

    /// A write that was kept in an earlier incarnation; nil if it cannot be read.
    mutating func restore(_ kept: KeptWrite) -> (work: Request.Work, stamp: Stamp?)? {
        lastNumber = max(lastNumber, kept.number)
        let received: [Received<ClientMessage>]? = try? FrameReader.messages(in: kept.frame)
        guard case .message(let message)? = received?.first else {
            records.append(.writeEnded(number: kept.number))
            return nil
        }
        switch message.request {
        case .put(let put): return (.put(put.path, put.value), put.stamp)
        case .merge(let merge): return (.merge(merge.path, merge.writes), merge.stamp)
        default:
            records.append(.writeEnded(number: kept.number))
            return nil
        }
    }

    mutating func end(_ number: UInt64) { records.append(.writeEnded(number: number)) }

    mutating func keep(_ value: Value, of listen: ServerListen) {
        let frame = NodeMessage.value(id: 0, value: value).frame
        records.append(.value(key: listen.key, frame: frame))
    }

    /// Whether values may be kept now. The more they are, the longer the next ones wait.
    func isDue(at now: UInt64) -> Bool { now >= rest }

    mutating func rest(from now: UInt64) {
        let byteCount = records.reduce(0) { sum, record in
            if case .value(_, let frame) = record { sum + frame.count } else { sum }
        }
        rest = now + 1000 + UInt64(byteCount / 1000)
    }

    /// Notes that the value of a listen is asked for, and returns its key.
    mutating func recall(_ listen: ServerListen) -> String {
        recalled[listen.key] = listen
        return listen.key
    }

    /// Reads a value that was kept; nil if there is none, or nobody waits for it.
    mutating func take(_ frame: [UInt8]?, at key: String) -> (value: Value, of: ServerListen)? {
        guard let listen = recalled.removeValue(forKey: key), let frame else { return nil }
        let received: [Received<NodeMessage>]? = try? FrameReader.messages(in: frame)
        guard case .message(.value(_, let value)) = received?.first else { return nil }
        return (value, listen)
    }
}

extension ServerListen {
    /// The same for equal listens in every incarnation: the frame that asks for it, in hexadecimal digits.
    fileprivate var key: String {
        let digits = Array("0123456789abcdef".utf8)
        let frame = ClientMessage.listen(id: 0, path: path, query: query).frame
        let text = frame.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

// MARK: - The client

extension Client {
    /// Takes up the writes that an earlier incarnation has left behind; nobody waits for their outcome.
    mutating func restore(_ writes: [KeptWrite]) {
        for kept in writes.sorted(by: { $0.number < $1.number }) {
            guard let (work, stamp) = persistence.restore(kept) else { continue }
            let id = RequestID(number: 1 << 63 | kept.number)
            write(Request(id, work), record: kept.number, stamp: stamp)
        }
    }

    /// Takes what an earlier incarnation knew of a listen, unless a node was quicker.
    mutating func recall(_ frame: [UInt8]?, at key: String) {
        guard let (value, listen) = persistence.take(frame, at: key),
            subscriptions.contains(listen), tree.heldValue(for: listen) == nil
        else { return }
        take(tree.tell([(.root, value)], for: listen))
    }

    /// Keeps what listens have been told since the last time, at most once a second.
    mutating func keepValues() {
        guard configuration.isPersistent, persistence.isDue(at: now) else { return }
        keepAllValues()
        persistence.rest(from: now)
    }

    mutating func keepAllValues() {
        for listen in subscriptions.takeTold() {
            guard let value = tree.heldValue(for: listen) else { continue }
            persistence.keep(value, of: listen)
        }
    }
}
