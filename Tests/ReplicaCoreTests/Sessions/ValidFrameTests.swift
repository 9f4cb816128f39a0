import Foundation
import Randomness
import ReplicaCore
import SyncProtocol
import Testing

/// Content never closes a session: a request whose content is any well-formed MessagePack gets an answer, and so does the next
/// message of its frame.
///
/// A longer run: `HEARTH_TEXT_CASES=100000`.
@Suite struct ValidFrameTests {
    private static let cases =
        ProcessInfo.processInfo.environment["HEARTH_TEXT_CASES"].flatMap { Int($0) } ?? 3_000

    private var random = SplitMix64(seed: 1)

    @Test mutating func `every request is answered, and the next one in its frame`() {
        var replica = TestReplica()
        let session = SessionID(number: 1)
        for number in 1...Self.cases {
            let names = [
                "put", "merge", "push", "get", "listen", "onDisconnect", "onDisconnectMerge", "zz",
            ]
            let name = names[draw(below: names.count)]
            let id = UInt8(number % 100)
            var frame: [UInt8] = [1, 0x94, 0xA0 | UInt8(name.utf8.count)] + Array(name.utf8) + [id]
            frame += draw(below: 10) > 0 ? [0xA1, 0x61] : value(levels: 1)
            frame += value(levels: 4)
            frame += [0x92, 0xA4] + Array("ping".utf8) + [id + 1]
            let told = replica.turn([.requested(frame, by: session)])[session] ?? []
            let answered = told.compactMap(\.requestID)
            #expect(answered.contains(UInt64(id)), "\(name) \(frame)")
            #expect(answered.last == UInt64(id) + 1, "\(name) \(frame)")
            _ = replica.turn([.closed(session)])
        }
    }

    private mutating func draw(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    // MARK: Well-formed MessagePack

    private mutating func value(levels: Int) -> [UInt8] {
        switch draw(below: levels > 0 ? 16 : 12) {
        case 0: [0xC0]
        case 1: [0xC2 + UInt8(draw(below: 2))]
        case 2: [UInt8(draw(below: 128))]
        case 3: [0xCF] + bytes(8)
        case 4: [0xCB] + bytes(8)
        case 5: [[0xCB, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0xCA, 0x7F, 0xC0, 0, 0]][draw(below: 2)]
        case 6: [0xD3] + bytes(8)
        case 7: [0xC4, 3] + bytes(3)
        case 8: [0xD6, 0xFF] + bytes(4)
        case 9: draw(below: 10) == 0 ? nest() : [0x80]
        case 10, 11: text()
        case 12, 13: list(0x90) { $0.value(levels: levels - 1) }
        default: list(0x80) { $0.key() + $0.value(levels: levels - 1) }
        }
    }

    private mutating func list(
        _ head: UInt8, _ element: (inout ValidFrameTests) -> [UInt8]
    ) -> [UInt8] {
        let elements = (0..<draw(below: 4)).map { _ in element(&self) }
        return [head | UInt8(elements.count)] + elements.joined()
    }

    private mutating func key() -> [UInt8] {
        let keys = [
            ".value", ".priority", ".sv", "timestamp", "increment", "a", "a/b", "", ".", "stamp",
            "now",
        ]
        guard draw(below: 5) > 0 else { return value(levels: 0) }
        return string(keys[draw(below: keys.count)])
    }

    private mutating func text() -> [UInt8] {
        let texts = ["", "x", "😀", "timestamp", "\u{0}", "a/b", String(repeating: "k", count: 900)]
        // The UTF-8 of half of a surrogate pair.
        if draw(below: 4) == 0 { return [0xA3, 0xED, 0xA0, 0xBD] }
        return string(texts[draw(below: texts.count)])
    }

    private func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return [0xDA, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    }

    private mutating func nest() -> [UInt8] {
        let levels = [31, 32, 33, 40, 2_000][draw(below: 5)]
        let level: [UInt8] = draw(below: 2) == 0 ? [0x91] : [0x81, 0xA1, 0x61]
        return Array(repeatElement(level, count: levels).joined()) + [1]
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(draw(below: 256)) }
    }
}

extension NodeMessage {
    /// The number of the request that it answers; nil for other messages.
    fileprivate var requestID: UInt64? {
        switch self {
        case .ok(let id), .acknowledged(let id, _), .pushed(let id, _), .value(let id, _),
            .error(let id, _, _, _):
            id
        default: nil
        }
    }
}
