import DataTree
import Testing

@testable import SyncProtocol

/// Frames in which one element is another one. Clients are programs in any language: a node reads each message as it is
/// meant, or refuses that message and no other.
@Suite struct ChangedElementTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a changed element gives a message that can be encoded, or a refusal of its message alone`(
        seed: UInt64
    ) {
        var random = Seeded(seed)
        for _ in 0..<60 {
            change(random.clientMessage(), &random)
            change(random.peerMessage(), &random)
        }
    }

    private func change<Message: FrameMessage>(_ message: Message, _ random: inout Seeded) {
        let frame = message.frame
        guard frame.count < 4_000, let sealed = try? Self.unsealed(frame, as: Message.self) else {
            return
        }
        let elements = PackedElements(of: sealed, from: 1)
        guard elements.all.count > 2 else { return }
        for _ in 0..<20 { change(message, elements, &random) }
    }

    /// A frame without its checksum.
    private static func unsealed<Message: FrameMessage>(
        _ frame: [UInt8], as kind: Message.Type
    ) throws(FrameError) -> [UInt8] {
        try frame.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            Array(try Message.unseal(bytes))
        }
    }

    private func change<Message: FrameMessage>(
        _ message: Message, _ elements: PackedElements, _ random: inout Seeded
    ) {
        // The head, the name and the number of the message stay; values and options stand at the end.
        let count = elements.all.count
        let last = random.chance(50) ? min(count - 2, 2) : count - 2
        let place = count - 1 - Int.random(in: 0..<last, using: &random)
        let other = PackedElements.others.randomElement(using: &random)!
        let body = elements.replacing(place, by: other)
        var bytes = body
        Message.seal(&bytes)
        guard let received = try? FrameReader<Message>.messages(in: bytes) else {
            Issue.record("no message is read: \(message) with \(other) as element \(place)")
            return
        }
        for case .message(let read) in received {
            let again = try? FrameReader<Message>.messages(in: read.frame)
            #expect(again == [.message(read)], "\(message) with \(other) as element \(place)")
            if let read = read as? ClientMessage { check(read) }
        }
        // Containers keep their sizes, so that the message still ends where its frame does.
        guard !elements.isContainer(place), !PackedElements.isContainer(other) else { return }
        #expect(received.count == 1, "\(message) with \(other) as element \(place)")
        guard place > 2, let own = message as? ClientMessage else { return }
        switch received[0] {
        case .message(let read as ClientMessage) where read.id == own.id: break
        case .refused(id: own.id, _): break
        default: Issue.record("\(message) with \(other) as \(place) gives \(received[0])")
        }
    }

    /// No message has an impossible stamp or number.
    private func check(_ read: ClientMessage) {
        if let stamp = read.stamp { #expect(stamp.time <= .latest) }
        let values: [Value] =
            switch read.request {
            case .put(let put): [put.value]
            case .merge(let merge): merge.writes.map(\.value)
            case .onDisconnect(let put): [put.value]
            default: []
            }
        for value in values { #expect(value.isFinite) }
    }
}

extension Value {
    /// Whether all numbers in it are finite.
    fileprivate var isFinite: Bool {
        switch content {
        case .double(let number): number.isFinite
        case .object(let children): children.allSatisfy { $0.value.isFinite }
        default: true
        }
    }
}

/// The elements of a text in MessagePack, one behind the other: of arrays and maps the heads alone.
private struct PackedElements {
    private let bytes: [UInt8]
    private(set) var all: [Range<Int>] = []

    init(of bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        var offset = start
        while offset < bytes.count {
            let end = offset + PackedElements.size(at: offset, in: bytes)
            if end > bytes.count { return }
            all.append(offset..<end)
            offset = end
        }
    }

    /// The bytes with other ones in the place of an element.
    func replacing(_ index: Int, by other: [UInt8]) -> [UInt8] {
        Array(bytes[..<all[index].lowerBound]) + other + bytes[all[index].upperBound...]
    }

    func isContainer(_ index: Int) -> Bool {
        PackedElements.isContainer([bytes[all[index].lowerBound]])
    }

    static func isContainer(_ element: [UInt8]) -> Bool {
        (0x80...0x9F).contains(element[0]) || (0xDC...0xDF).contains(element[0])
    }

    /// The bytes of an element: its head, and those of a text or of binary data.
    private static func size(at offset: Int, in bytes: [UInt8]) -> Int {
        func number(_ count: Int) -> Int {
            (1...count).reduce(0) { sum, index in
                sum << 8 + (offset + index < bytes.count ? Int(bytes[offset + index]) : 0)
            }
        }
        switch bytes[offset] {
        case 0xA0...0xBF: return 1 + Int(bytes[offset] & 0x1F)
        case 0xC4, 0xD9: return 2 + number(1)
        case 0xC5, 0xDA: return 3 + number(2)
        case 0xC6, 0xDB: return 5 + number(4)
        case 0xC7: return 3 + number(1)
        case 0xC8: return 4 + number(2)
        case 0xC9: return 6 + number(4)
        case 0xCC, 0xD0: return 2
        case 0xCD, 0xD1, 0xDC, 0xDE: return 3
        case 0xCA, 0xCE, 0xD2, 0xDD, 0xDF: return 5
        case 0xCB, 0xCF, 0xD3: return 9
        case 0xD4...0xD8: return 2 + 1 << Int(bytes[offset] - 0xD4)
        default: return 1
        }
    }

    /// The replacements of elements: null, booleans, numbers at limits, invalid numbers, keys, paths, names, other
    /// texts, and heads.
    static let others: [[UInt8]] = {
        var others: [[UInt8]] = [
            [0xC0], [0xC1], [0xC2], [0xC3], [0x00], [0x01], [0x7F], [0xFF], [0xE0],
            [0x80], [0x90], [0x91, 0x01], [0x81, 0xA1, 0x61, 0x01], [0xDD, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xDF, 0x00, 0x00, 0xFF, 0xFF], [0xC4, 0x00], [0xC4, 0x02, 0x01, 0x02],
            [0xD4, 0x00, 0x01],
            // Infinite, no number, a small one, and minus zero.
            [0xCB, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0xCB, 0xFF, 0xF8, 0, 0, 0, 0, 0, 1],
            [0xCB, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0], [0xCB, 0x80, 0, 0, 0, 0, 0, 0, 0],
            [0xCA, 0x7F, 0x80, 0, 0], [0xCA, 0x3F, 0, 0, 0],
            [0xA1, 0x80], [0xA2, 0xC3, 0x28], [0xA1, 0x00],
        ]
        let latest = HybridTime.latest.bits
        for number in [
            0, 1, 255, 1 << 31, 1 << 32, 1 << 48, 1 << 53, 1 << 62, 1 << 63, latest, latest + 1,
            .max,
        ] as [UInt64] {
            others.append(
                [0xCF] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        }
        others.append([0xD3, 0x80, 0, 0, 0, 0, 0, 0, 0])
        for text in [
            "", "/", "a", "a/b", "a//b", ".priority", "a/.priority", ".value", ".sv", "a#b", "[a]",
            "key", "value", "majority", "stamp", "limitToFirst", "put",
        ] {
            others.append([0xA0 | UInt8(text.utf8.count)] + Array(text.utf8))
        }
        return others
    }()
}
