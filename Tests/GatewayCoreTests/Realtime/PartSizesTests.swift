import DataTree
import JSONText
import Testing

@testable import GatewayCore

/// Large texts leave in parts of the sizes that a gateway is given.
@Suite struct PartSizesTests {
    private var small: PartSizes {
        var sizes = PartSizes()
        (sizes.textBytes, sizes.chunkUnits, sizes.sendBytes, sizes.valueBytesPerTurn) =
            (300, 90, 400, 1_500)
        return sizes
    }

    @Test func `a text of several chunks is announced with their number`() {
        for count in [10, 89, 91, 299, 301, 2_000] {
            let text = Array(
                JSONWriter.text(of: .string(String(repeating: "é", count: count))).utf8)
            var stream = ChunkStream(AnswerText(text), in: small)
            var frames: [[UInt8]] = []
            loop: while true {
                switch stream.next() {
                case .whole(let whole): frames += whole
                case .frame(let frame): frames.append(frame)
                case .counts: break
                case .ended: break loop
                }
            }
            if frames.count > 1 { #expect(frames[0] == Array("\(frames.count - 1)".utf8)) }
            let chunks = frames.count > 1 ? frames[1...] : frames[...]
            #expect(Array(chunks.joined()) == text)
            #expect(chunks.allSatisfy { String(decoding: $0, as: UTF8.self).utf16.count <= 90 })
        }
    }
}
