import DataTree
import Glibc
import Testing

@testable import SyncProtocol

/// Bytes that no honest program sends: they give an error or a message, never a crash.
@Suite(.serialized) struct HostileBytesTests {
    @Test func `every truncated frame gives an error or whole messages`() {
        var random = Seeded(7)
        for _ in 0..<100 {
            let frame = random.clientMessage().frame
            guard frame.count < 4_000 else { continue }
            for count in 0..<frame.count {
                let received = try? FrameReader<ClientMessage>.messages(in: Array(frame[..<count]))
                for case .message(let message) in received ?? [] {
                    Issue.record("\(count) of \(frame.count) bytes gave \(message)")
                }
            }
        }
    }

    @Test func `mutated frames give an error or a message that can be encoded`() {
        var random = Seeded(8)
        var read = [0, 0, 0]
        for _ in 0..<100 {
            read[0] += exercise(ClientMessage.self, of: random.clientMessage().frame, &random)
            read[1] += exercise(NodeMessage.self, of: random.nodeMessage().frame, &random)
            read[2] += exercise(PeerMessage.self, of: random.peerMessage().frame, &random)
        }
        // Some mutations are messages still; those of which none is would show nothing.
        #expect(read.allSatisfy { $0 > 1_000 }, "\(read)")
    }

    @Test func `a bit that turns in what nodes tell each other is found`() {
        var random = Seeded(10)
        for _ in 0..<50 {
            let frame = random.peerMessage().frame
            for _ in 0..<50 {
                var mutated = frame
                let place = Int.random(in: 1..<frame.count, using: &random)
                mutated[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                #expect(throws: FrameError.self) {
                    try FrameReader<PeerMessage>.messages(in: mutated)
                }
            }
        }
    }

    @Test func `mutated batches with a right checksum give an error or a batch`() {
        var random = Seeded(9)
        var read = 0
        for _ in 0..<100 {
            let content = Array(BatchCoding.encode(random.batch()).dropLast(4))
            guard content.count < 4_000 else { continue }
            for _ in 0..<300 {
                let mutated = mutation(of: content, using: &random)
                let checksum = mutated.withUnsafeBytes { Checksum.crc32c(of: $0) }
                let bytes = mutated + withUnsafeBytes(of: checksum.littleEndian) { Array($0) }
                guard let batch = try? BatchCoding.decode(bytes) else { continue }
                read += 1
                let again = try? BatchCoding.decode(BatchCoding.encode(batch))
                if again != batch { Issue.record("\(batch) changes on its way") }
            }
        }
        #expect(read > 1_000, "\(read)")
    }

    @Test func `a small frame that declares much gets little memory`() async {
        // A process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let before = peakKilobytes()
            for frame in boasts() {
                _ = try? FrameReader<ClientMessage>.messages(in: frame)
                _ = try? FrameReader<NodeMessage>.messages(in: frame)
                _ = try? FrameReader<PeerMessage>.messages(in: frame)
            }
            let used = peakKilobytes() - before
            precondition(used < 16 * 1024, "\(used) KB for frames of 100 KB")
        }
    }

    /// A thousand mutations of one frame; returns how many messages they gave.
    private func exercise<Message: FrameMessage>(
        _ kind: Message.Type, of frame: [UInt8], _ random: inout Seeded
    ) -> Int {
        var read = 0
        // Without its checksum, which would find every mutation.
        let content = frame.withUnsafeBytes { (try? Message.unseal($0)).map(Array.init) } ?? []
        let frame = Array(content.prefix(3_000))
        for _ in 0..<1_000 {
            var mutated = mutation(of: frame, using: &random)
            Message.seal(&mutated)
            guard let received = try? FrameReader<Message>.messages(in: mutated) else { continue }
            for case .message(let message) in received {
                read += 1
                // A wrong word here or there is data; what was read must still travel.
                let again = try? FrameReader<Message>.messages(in: message.frame)
                if again != [.message(message)] { Issue.record("\(message) changes on its way") }
            }
        }
        return read
    }

    private func mutation(of bytes: [UInt8], using random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        let formats: [UInt8] = [
            0x80, 0x90, 0xA0, 0xC0, 0xC1, 0xC6, 0xC9, 0xCB, 0xCF, 0xDB, 0xDD, 0xDF,
        ]
        for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 1 {
            let place = Int.random(in: 1..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[place] = formats.randomElement(using: &random)!
            case 3: bytes.remove(at: place)
            default: bytes.insert(formats.randomElement(using: &random)!, at: place)
            }
        }
        return bytes
    }
}

/// Frames of 100 KB whose last head declares as much as it can.
private func boasts() -> [[UInt8]] {
    let heads: [[UInt8]] = [
        [0xDC, 0xFF, 0xFF], [0xDD, 0xFF, 0xFF, 0xFF, 0xFF], [0xDD, 0, 1, 0x80, 0],
        [0xDE, 0xBF, 0xFF], [0xDF, 0x7F, 0xFF, 0xFF, 0xFF], [0xDB, 0x7F, 0xFF, 0xFF, 0xFF],
        [0xC6, 0xFF, 0xFF, 0xFF, 0xFF],
    ]
    return heads.flatMap { head in
        ["put", "merge", "change", "have", "batch", "value"].map { name in
            var writer = MessagePackWriter()
            let count = ["put": 4, "merge": 4, "batch": 2][name] ?? 3
            writer.appendArrayHead(count)
            writer.append(name)
            if count > 2 { writer.append(UInt64(1)) }
            if count > 3 { writer.append("a") }
            return [1] + writer.bytes + head + [UInt8](repeating: 0xC0, count: 100_000)
        }
    }
}

private func peakKilobytes() -> Int {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
}
