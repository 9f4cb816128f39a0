import DataTree
import QueryEngine
import SyncProtocol

/// A record for the application's next process; opaque to the driver.
public enum Record: Equatable, Sendable {
    /// An unanswered write, as the frame that requests it.
    case write(number: UInt64, frame: [UInt8])
    /// Removes the write with this number.
    case writeEnded(number: UInt64)
    /// The last value of a listen; it replaces the one under the same key.
    case value(key: String, frame: [UInt8])
}

/// A write that an earlier process of the application has left behind.
public struct KeptWrite: Equatable, Sendable {
    package let number: UInt64
    package let frame: [UInt8]

    package init(number: UInt64, frame: [UInt8]) {
        self.number = number
        self.frame = frame
    }
}

/// A write of an earlier process, as that process sent it last.
struct RestoredWrite {
    let work: Request.Work
    /// Nil if no node can have done it.
    let stamp: Stamp?
    /// The time of its server timestamps under this stamp.
    let now: UInt64?
}

/// Records to keep, until the driver takes them.
struct Persistence: Sendable {
    private(set) var records: [Record] = []
    private var lastNumber: UInt64 = 0
    /// The listens whose values were recalled.
    private var recalled: [String: ServerListen] = [:]
    /// The next moment at which values may be kept.
    private(set) var rest: UInt64 = 0

    mutating func takeRecords() -> [Record] {
        if records.isEmpty { return [] }
        defer { records = [] }
        return records
    }

    /// Keeps a write and returns its number.
    mutating func keep(_ work: Request.Work) -> UInt64 {
        lastNumber += 1
        keep(work, nil, as: lastNumber)
        return lastNumber
    }

    /// Keeps a write with its stamp, in place of the record under its number.
    ///
    /// - Parameter time: The time of its server timestamps.
    mutating func keep(
        _ work: Request.Work, _ stamp: Stamp?, now time: UInt64? = nil, as number: UInt64
    ) {
        let frame = work.message(id: number, stamp: stamp, now: time).frame
        records.append(.write(number: number, frame: frame))
    }

    /// A write that an earlier process kept; nil if it cannot be read.
    mutating func restore(_ kept: KeptWrite) -> RestoredWrite? {
        lastNumber = max(lastNumber, kept.number)
        let received: [Received<ClientMessage>]? = try? FrameReader.messages(in: kept.frame)
        guard case .message(let message)? = received?.first else {
            records.append(.writeEnded(number: kept.number))
            return nil
        }
        switch message.request {
        case .put(let put):
            return RestoredWrite(work: .put(put.path, put.value), stamp: put.stamp, now: put.now)
        case .merge(let merge):
            return RestoredWrite(
                work: .merge(merge.path, merge.writes), stamp: merge.stamp, now: merge.now)
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

    /// Whether values may be kept now. The more there are, the longer the next ones wait.
    func isDue(at now: UInt64) -> Bool { now >= rest }

    mutating func rest(from now: UInt64) {
        let byteCount = records.reduce(0) { sum, record in
            if case .value(_, let frame) = record { sum + frame.count } else { sum }
        }
        rest = now + 1000 + UInt64(byteCount / 1000)
    }

    /// Marks the value of a listen as recalled, and returns its key.
    mutating func recall(_ listen: ServerListen) -> String {
        recalled[listen.key] = listen
        return listen.key
    }

    /// Reads a kept value; nil if there is none, or no listen waits for it.
    mutating func receive(_ frame: [UInt8]?, at key: String) -> (value: Value, of: ServerListen)? {
        guard let listen = recalled.removeValue(forKey: key), let frame else { return nil }
        let received: [Received<NodeMessage>]? = try? FrameReader.messages(in: frame)
        guard case .message(.value(_, let value)) = received?.first else { return nil }
        return (value, listen)
    }
}

extension ServerListen {
    /// The key of a listen, the same in every process: the frame that requests it, in hexadecimal digits.
    fileprivate var key: String {
        let digits = Array("0123456789abcdef".utf8)
        let frame = ClientMessage.listen(id: 0, path: path, query: query).frame
        let text = frame.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
