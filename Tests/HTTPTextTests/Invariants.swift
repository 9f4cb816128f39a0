@testable import HTTPText

/// Invariants for all bytes that a client may send; the tests and the fuzzer check them.
enum Invariants {
    /// The invariant that some bytes violate; nil if they violate none.
    static func violation(for bytes: [UInt8]) -> String? {
        let whole = Reading([bytes])
        let cut = bytes.count / 3
        if Reading(bytes.map { [$0] }) != whole { return "single bytes are read otherwise" }
        if Reading([Array(bytes[..<cut]), Array(bytes[cut...])]) != whole {
            return "bytes in two pieces are read otherwise"
        }
        if let kept = mostKeptBytes(bytes), kept > HTTPLimits().headBytes {
            return "\(kept) bytes are kept"
        }
        return whole.heads.lazy.compactMap(violation(for:)).first
    }

    private static func violation(for head: RequestHead) -> String? {
        let again = Reading([written(head)])
        guard let other = again.heads.first else { return "a head is refused when written again" }
        let isEqual =
            other.method == head.method && other.version == head.version
            && other.target == head.target && other.body == head.body
            && other.keepsConnectionOpen == head.keepsConnectionOpen
            && other.expectsContinue == head.expectsContinue
            && other.authority == head.authority
            && other.lines.map { other.bytes[$0.value] } == head.lines.map { head.bytes[$0.value] }
            && other.lines.map { other.bytes[$0.name] } == head.lines.map { head.bytes[$0.name] }
        if !isEqual { return "a head says something else when written again" }
        // Whether these succeed is up to the client; they must not trap.
        _ = try? head.target.segments()
        _ = try? head.target.parameters()
        _ = OriginRule(origins: []).decide(head)
        _ = HostRule(names: []).permits(head.authority)
        return echoes(head) ? nil : "an echoed value ends its line"
    }

    /// A head in the one form that all servers read alike.
    private static func written(_ head: RequestHead) -> [UInt8] {
        // The line's end is where the first header begins, so that the target is the client's own.
        let line = head.bytes.drop { $0 == 0x0D || $0 == 0x0A }.prefix { $0 != 0x0D }
        var bytes = Array(line) + [0x0D, 0x0A]
        for field in head.lines {
            bytes +=
                head.bytes[field.name] + [0x3A, 0x20] + head.bytes[field.value] + [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }

    /// Whether all values of a head can be sent back without a line more.
    private static func echoes(_ head: RequestHead) -> Bool {
        var response = ResponseHead(status: 200)
        for field in head.fields { response.append("Echo", field.value) }
        let bytes = response.message(form: .afterFailure, date: HTTPDate(unixSeconds: 0))
        let feeds = bytes.lazy.filter { $0 == 0x0A }.count
        let returns = bytes.lazy.filter { $0 == 0x0D }.count
        return feeds == returns && feeds == head.lines.count + 5
    }

    /// The most bytes that a reader keeps between two arrivals; nil if it is never fed.
    private static func mostKeptBytes(_ bytes: [UInt8]) -> Int? {
        var reader = RequestReader()
        return bytes.map { byte in
            reader.receive([byte])
            while let event = reader.next() {
                if event == .end { reader.answered() }
            }
            return reader.keptBytes
        }.max()
    }
}
