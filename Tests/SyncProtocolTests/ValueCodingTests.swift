import DataTree
import Testing

@testable import SyncProtocol

@Suite struct ValueCodingTests {
    @Test func `any value comes back as it was, and makes the same bytes again`() throws {
        var random = Seeded(1)
        for _ in 0..<5_000 {
            let value = random.value()
            let bytes = encoded(value)
            let back = try decodeValue(bytes)
            #expect(back == value)
            #expect(encoded(back) == bytes)
        }
    }

    @Test(
        arguments: [
            (Value.null, [0xC0]), (.boolean(false), [0xC2]), (.boolean(true), [0xC3]),
            (.integer(0), [0x00]), (.integer(127), [0x7F]), (.integer(128), [0xCC, 0x80]),
            (.integer(255), [0xCC, 0xFF]), (.integer(256), [0xCD, 1, 0]),
            (.integer(65_536), [0xCE, 0, 1, 0, 0]),
            (.integer(1 << 32), [0xCF, 0, 0, 0, 1, 0, 0, 0, 0]),
            (.integer(-1), [0xFF]), (.integer(-32), [0xE0]), (.integer(-33), [0xD0, 0xDF]),
            (.integer(-128), [0xD0, 0x80]), (.integer(-129), [0xD1, 0xFF, 0x7F]),
            (.integer(-32_769), [0xD2, 0xFF, 0xFF, 0x7F, 0xFF]),
            (.integer(.min), [0xD3, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            (.double(0.5), [0xCB, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0]),
            (.string("é"), [0xA2, 0xC3, 0xA9]),
        ] as [(Value, [UInt8])])
    func `a primitive takes its smallest form`(value: Value, bytes: [UInt8]) {
        #expect(encoded(value) == bytes)
    }

    @Test func `children are written in key order, whatever the order they came in`() throws {
        // {"b": 1, "10": 2, "9": 3} and its members in another order.
        let one: [UInt8] = [0x83, 0xA1, 0x62, 1, 0xA2, 0x31, 0x30, 2, 0xA1, 0x39, 3]
        let other: [UInt8] = [0x83, 0xA1, 0x39, 3, 0xA1, 0x62, 1, 0xA2, 0x31, 0x30, 2]
        let sorted: [UInt8] = [0x83, 0xA1, 0x39, 3, 0xA2, 0x31, 0x30, 2, 0xA1, 0x62, 1]
        #expect(encoded(try decodeValue(one)) == sorted)
        #expect(encoded(try decodeValue(other)) == sorted)
    }

    @Test
    func `a small object is kept as it came, if its form is the smallest, and else as if it were`()
        throws
    {
        var random = Seeded(2)
        for _ in 0..<5_000 {
            var children = Children()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                children[
                    random.chance(90)
                        ? random.key() : Key(unchecked: "longer than thirty-one characters")] =
                    random.primitive()
            }
            let smallest = encoded(Value(children))
            let kept = try decodeValue(smallest)
            let other = try decodeValue(random.inAnotherForm(children))
            #expect(kept == Value(children) && other == kept)
            #expect(encoded(kept) == smallest && encoded(other) == smallest)
            #expect(kept.children.isPacked == other.children.isPacked)
        }
    }

    @Test(
        arguments: [
            // {"a": 1, "b": "x"}, with a wide key, a wide string, a wide integer, a whole double; with "b" first, twice.
            [0x82, 0xD9, 1, 0x61, 1, 0xA1, 0x62, 0xA1, 0x78],
            [0x82, 0xA1, 0x61, 1, 0xA1, 0x62, 0xD9, 1, 0x78],
            [0x82, 0xA1, 0x61, 0xCC, 1, 0xA1, 0x62, 0xA1, 0x78],
            [0x82, 0xA1, 0x61, 0xCB, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xA1, 0x62, 0xA1, 0x78],
            [0x82, 0xA1, 0x62, 0xA1, 0x78, 0xA1, 0x61, 1],
            [0x83, 0xA1, 0x61, 1, 0xA1, 0x62, 0xA1, 0x79, 0xA1, 0x62, 0xA1, 0x78],
            [0x83, 0xA1, 0x61, 1, 0xA1, 0x62, 0xA1, 0x78, 0xA1, 0x63, 0xC0],
            [0xDE, 0, 2, 0xA1, 0x61, 1, 0xA1, 0x62, 0xA1, 0x78],
        ] as [[UInt8]])
    func `every form of an object becomes its smallest one`(bytes: [UInt8]) throws {
        let value = try decodeValue(bytes)
        #expect(encoded(value) == [0x82, 0xA1, 0x61, 1, 0xA1, 0x62, 0xA1, 0x78])
        #expect(value.children.isPacked)
    }

    @Test func `a priority travels in export form, before the content`() {
        let value = Value.boolean(true).prioritized(.integer(7))
        let expected =
            [0x82, 0xA9] + Array(".priority".utf8) + [7, 0xA6] + Array(".value".utf8) + [0xC3]
        #expect(encoded(value) == expected)
    }

    @Test func `an array is an object with the keys 0, 1, and so on`() throws {
        let list = try decodeValue([0x93, 0x05, 0xC0, 0xA1, 0x78])
        #expect(list == (try decodeValue([0x82, 0xA1, 0x30, 0x05, 0xA1, 0x32, 0xA1, 0x78])))
        #expect(try decodeValue([0x90]) == .null)
    }

    @Test func `numbers take the one form that the tree has for them`() throws {
        #expect(try decodeValue([0xCB, 0x40, 0x08, 0, 0, 0, 0, 0, 0]) == .integer(3))
        #expect(try decodeValue([0xCA, 0x3F, 0, 0, 0]) == .double(0.5))
        #expect(try decodeValue([0xCF] + [UInt8](repeating: 0xFF, count: 8)) == .double(0x1p64))
        #expect(try decodeValue([0xCB, 0x80, 0, 0, 0, 0, 0, 0, 0]) == .double(-0.0))
    }

    @Test(
        arguments: [
            ([0xCA, 0x7F, 0x80, 0, 0], "a finite number"),
            ([0xCB, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], "a finite number"),
            ([0xC4, 1, 0], "binary data"), ([0xC7, 0, 1], "an extension type"),
            ([0xD6, 0xFF, 0, 0, 0, 0], "an extension type"), ([0xC1], "the byte C1"),
            ([0xA1, 0xFF], "UTF-8"),
            ([0x81, 0xA1, 0x61, 0xA2, 0xC3, 0x28], "UTF-8"),
            ([0x81, 0xA1, 0x61, 0xA2, 0x61], "needs 2"),
            ([0x81, 0xA1, 0x61, 0xCB, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], "a finite number"),
            ([0x81, 0xA2, 0xC3, 0x28, 1], "UTF-8"),
            ([0x81, 1, 1], "a key (a string) at byte 1, found the integer 1"),
            ([0x81, 0xA1, 0x2F, 1], "invalid key"), ([0x81, 0xA0, 1], "invalid key"),
            ([0x81, 0xA2, 0x2E, 0x78, 1], "invalid key"),
            ([0x81, 0xA3, 0x2E, 0x73, 0x76, 1], "unknown server value"),
            ([0xDD, 0xFF, 0xFF, 0xFF, 0xFF], "needs 4294967295 bytes"),
            ([0xDF, 0xFF, 0xFF, 0xFF, 0xFF], "needs 8589934590 bytes"),
            ([0xDB, 0xFF, 0xFF, 0xFF, 0xFF, 0x61], "needs 4294967295 bytes"), ([], "needs 1 bytes"),
        ] as [([UInt8], String)])
    func `what is no value is refused with its place`(bytes: [UInt8], problem: String) {
        let error = #expect(throws: FrameError.self) { try decodeValue(bytes) }
        #expect(error?.problem.contains(problem) == true, "\(String(describing: error))")
    }

    @Test func `the deepest legal tree passes, and a deeper one is refused`() throws {
        func nested(_ levels: Int) -> [UInt8] {
            let leaf = encoded(.integer(1).prioritized(.deferred(.increment(.integer(1)))))
            return (0..<levels).flatMap { _ -> [UInt8] in [0x81, 0xA1, 0x61] } + leaf
        }
        #expect(try decodeValue(nested(Limits.depth)).isNull == false)
        let error = #expect(throws: FrameError.self) { try decodeValue(nested(Limits.depth + 1)) }
        #expect(error?.problem.contains("too deep") == true)
    }

    @Test func `a million brackets cost no stack`() {
        for open: [UInt8] in [[0x91], [0x81, 0xA1, 0x61], [0xDC, 0, 1]] {
            let bomb = [UInt8]((0..<1_000_000).map { _ in open }.joined())
            #expect(throws: FrameError.self) { try decodeValue(bomb) }
            let frame = [1, 0x93, 0xA3, 0x70, 0x75, 0x74, 0x07] + bomb
            let received = try? FrameReader<ClientMessage>.messages(in: frame)
            guard case .refused(id: 7, _)? = received?.first else {
                Issue.record("expected a refusal with the id")
                continue
            }
        }
    }
}

extension Seeded {
    /// The children in any order, each key and each text with a longer head than it needs, or not.
    fileprivate mutating func inAnotherForm(_ children: Children) -> [UInt8] {
        var bytes: [UInt8] = [0xDE, 0, UInt8(children.count)]
        for (key, child) in children.shuffled(using: &self) {
            bytes += wide(Array(key.text.utf8))
            if case .string(let text) = child {
                bytes += wide(Array(text.utf8))
            } else {
                bytes += encoded(child)
            }
        }
        return bytes
    }

    private mutating func wide(_ utf8: [UInt8]) -> [UInt8] {
        if chance(50) { return encoded(.string(String(decoding: utf8, as: UTF8.self))) }
        return [0xDB] + (0..<4).map { UInt8(truncatingIfNeeded: utf8.count >> (24 - 8 * $0)) }
            + utf8
    }
}
