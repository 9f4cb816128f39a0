import Foundation
import Testing

@testable import GatewayCore

/// Segments of messages, and scripts.
@Suite struct LongPollPartsTests {
    private func segment(_ number: Int, of count: Int, _ text: String) -> LongPollSegment {
        LongPollSegment(number: number, count: count, text: Array(text.utf8))
    }

    @Test func `base 64 of all lengths and all bytes is decoded`() {
        for count in 0..<300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
            let text = Data(bytes).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: ".")
            #expect(LongPollUploads.decoded(Array(text.utf8)) == bytes)
        }
    }

    @Test(arguments: ["e", "e3", "e30", "e30=", "e+0.", "e/0.", "e.0.", "....", "e 0.", "é0"])
    func `other texts are not decoded`(text: String) {
        #expect(LongPollUploads.decoded(Array(text.utf8)) == nil)
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [0, 0, 2, 1, 1, 3, 3]])
    func `segments in any order are joined in theirs`(order: [Int]) throws {
        // Two messages, of one and of three segments.
        let segments = [
            segment(0, of: 1, "YQ.."), segment(1, of: 3, "Y"), segment(2, of: 3, "mN"),
            segment(3, of: 3, "k"),
        ]
        var uploads = LongPollUploads()
        var messages: [LongPollUploads.Upload] = []
        for index in order { messages += try uploads.append(segments[index]) }
        #expect(messages == [.message(Array("a".utf8)), .message(Array("bcd".utf8))])
        #expect(uploads.waitingBytes == 0)
    }

    @Test
    func
        `segments far ahead are refused, and only the beginning of a message above the limit is kept`()
        throws
    {
        var uploads = LongPollUploads()
        #expect(try uploads.append(segment(999, of: 1, "")) == [])
        #expect(throws: LongPollUploads.Failure.tooLarge) {
            try uploads.append(segment(1_000, of: 1, ""))
        }
        let part = String(repeating: "A", count: 1 << 20)
        uploads = LongPollUploads()
        let count = LongPollUploads.byteLimit >> 20
        for number in 0..<count { _ = try uploads.append(segment(number, of: 100, part)) }
        #expect(uploads.waitingBytes == count << 20)
        for number in count..<99 {
            #expect(try uploads.append(segment(number, of: 100, part)) == [])
        }
        #expect(uploads.waitingBytes == 64 << 10, "only the beginning is kept")
        let beginning = [UInt8](repeating: 0, count: (64 << 10) / 4 * 3)
        #expect(try uploads.append(segment(99, of: 100, part)) == [.tooLarge(beginning)])
        #expect(try uploads.append(segment(100, of: 1, "YQ..")) == [.message([0x61])])
    }

    @Test func `segments that wait for one before them are limited`() throws {
        let part = String(repeating: "A", count: 1 << 20)
        var uploads = LongPollUploads()
        let count = LongPollUploads.byteLimit >> 20
        for number in 1...count { _ = try uploads.append(segment(number, of: 100, part)) }
        #expect(throws: LongPollUploads.Failure.tooLarge) {
            try uploads.append(segment(count + 1, of: 100, part))
        }
    }

    @Test(
        arguments: [
            (#"{"a":1}"#, #"{"a":1}"#),
            (#"{"__proto__":1}"#, #"{["__proto__"]:1}"#),
            (#"{"a":{"b":1,"__proto__":{}}}"#, #"{"a":{"b":1,["__proto__"]:{}}}"#),
            (#"{"a":"{\"__proto__\":1}"}"#, #"{"a":"{\"__proto__\":1}"}"#),
            (#"["__proto__"]"#, #"["__proto__"]"#),
            ("\"a\u{2028}b\u{2029}c\u{2027}€\"", "\"a\\u2028b\\u2029c\u{2027}€\""),
        ])
    func `JSON means the same as part of a script`(json: String, script: String) {
        let text = LongPollText.script(Array(json.utf8))
        #expect(String(decoding: text, as: UTF8.self) == script)
    }

    @Test func `a message that has begun is completed, however much waits`() {
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        var outbox = LongPollOutbox(holdingBackAbove: 1 << 20)
        var steps: [Bool] = []
        for frame in [String(repeating: "x", count: (1 << 20) + 1), "2", "{", "}"] {
            let isShort = outbox.append(bytes(frame))
            #expect(isShort)
            steps.append(outbox.hasRoom)
        }
        #expect(steps == [false, true, true, false])
        let script = outbox.removeScript()
        #expect(script.suffix(7) == bytes(",{}]);\n")[...])
    }

    @Test func `passwords are compared to the last character`() {
        let one = LongPollCredential(id: "i", password: "abc")
        for (password, isEqual) in [
            ("abc", true), ("abd", false), ("bbc", false), ("ab", false), ("abcd", false),
            ("", false),
        ] {
            let other = LongPollCredential(id: "i", password: password)
            #expect(one.hasPassword(of: other) == isEqual)
        }
    }
}
