import ClientCore
import DataTree
import SyncProtocol

/// The file in which a persistent client keeps what its next process needs.
struct ClientFile {
    private var writes: [UInt64: [UInt8]] = [:]
    private var values: [String: [UInt8]] = [:]

    /// The writes that have no outcome, in their order.
    var keptWrites: [KeptWrite] {
        writes.sorted { $0.key < $1.key }.map { KeptWrite(number: $0.key, frame: $0.value) }
    }

    func value(at key: String) -> [UInt8]? { values[key] }

    /// Keeps records; returns what is lost by that, if anything is.
    @discardableResult
    mutating func keep(_ records: [Record]) -> String? {
        var problem: String?
        for record in records {
            switch record {
            case .write(let number, let frame):
                let new = KeptWrite(number: number, frame: frame).writes
                if let old = writes[number].map({ KeptWrite(number: number, frame: $0).writes }),
                    old != new
                {
                    problem = "keeps \(new) in place of \(old), which has no outcome"
                }
                writes[number] = frame
            case .writeEnded(let number): writes[number] = nil
            case .value(let key, let frame): values[key] = frame
            }
        }
        return problem
    }
}

extension KeptWrite {
    /// The writes, with complete paths.
    var writes: [Write] {
        guard
            case .message(let message)? = try? FrameReader<ClientMessage>.messages(in: frame).first
        else { return [] }
        switch message.request {
        case .put(let put): return [Write(path: put.path, value: put.value)]
        case .merge(let merge):
            return merge.writes.map {
                Write(path: merge.path.appending($0.path), value: $0.value)
            }
        default: return []
        }
    }
}
