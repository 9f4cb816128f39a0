import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import GatewayCore

extension AnswerText {
    /// All parts of the text, of which each but the last has at least some size.
    func parts(atLeast count: Int = .max >> 1) -> [[UInt8]] {
        var (text, parts) = (self, [[UInt8]()])
        while text.write(to: &parts[parts.count - 1], atLeast: count) { parts.append([]) }
        return parts
    }
}

@Suite struct AnswerTextTests {
    private func writes(_ count: Int, length: Int = 100) -> [Write] {
        (0..<count).map { number in
            Write(
                path: Path([Key(unchecked: "k\(number)"), Key(unchecked: "x")]),
                value: .string(String(repeating: "y", count: length)))
        }
    }

    private func text(of writes: [Write], _ layout: JSONWriter.Layout = .compact) -> AnswerText {
        AnswerText(pieces: [
            .bytes(Array("f(".utf8)), .update(UpdateWriter(writes, form: .plain, layout: layout)),
            .bytes(Array(");".utf8)),
        ])
    }

    private func string(_ text: AnswerText) -> String {
        String(decoding: text.parts().joined(), as: UTF8.self)
    }

    @Test func `an update is an object whose keys are paths`() {
        #expect(string(text(of: [])) == "f({});")
        #expect(string(text(of: [], .pretty)) == "f({});")
        let two = writes(2, length: 1)
        #expect(string(text(of: two)) == #"f({"k0/x":"y","k1/x":"y"});"#)
        #expect(
            string(text(of: two, .pretty)) == """
                f({
                  "k0/x": "y",
                  "k1/x": "y"
                });
                """)
    }

    @Test(arguments: [1, 7, 500, 5_000])
    func `parts of any size make the same text`(size: Int) {
        for text in [text(of: writes(50)), text(of: writes(3, length: 40_000))] {
            let parts = text.parts(atLeast: size)
            #expect(parts.count > 1)
            #expect(parts.dropLast().allSatisfy { $0.count >= size && $0.count < size + 20_000 })
            #expect(parts.joined().elementsEqual(text.parts().joined()))
        }
    }

    @Test func `long bytes leave in parts as well`() {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }
        let text = AnswerText(pieces: [.bytes(bytes), .bytes([1]), .bytes(bytes)])
        let parts = text.parts(atLeast: PartSizes().answerBytes)
        #expect(parts.count > 5)
        #expect(parts.allSatisfy { $0.count <= 3 * PartSizes().answerBytes })
        #expect(parts.joined().elementsEqual(bytes + [1] + bytes))
    }

    @Test func `a text may have more behind it`() {
        #expect(string(AnswerText(Array("a".utf8)).followed(by: Array("b".utf8))) == "ab")
    }
}
