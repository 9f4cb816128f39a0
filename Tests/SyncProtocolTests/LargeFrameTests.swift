import DataTree
import SyncProtocol
import Testing

@Suite struct LargeFrameTests {
    /// An object with so many children, each of which is an object.
    private static func list(
        _ count: Int, of child: (Int) -> Value = { ["n": .integer(Int64($0))] }
    )
        -> Value
    {
        var children = Children()
        for number in 0..<count {
            children[DataTree.Key(unchecked: "k\(number)")] = child(number)
        }
        return Value(children)
    }

    private static let values: [Value] = [
        .null, 5, "text", ["a": 1], list(3), list(300),
        list(40).prioritized(7), ["a": ["b": list(20).prioritized("p")], "c": 5],
        list(30) { $0.isMultiple(of: 2) ? 1 : list(20).prioritized(.integer(Int64($0))) },
        list(5) { _ in .string(String(repeating: "x", count: 3_000)) },
    ]

    @Test(arguments: values, [1, 7, 100, 1_000_000])
    func `a value in parts has the bytes of the whole value`(value: Value, partBytes: Int) {
        var whole = MessagePackWriter()
        whole.append(value)
        var stream = ValueStream(value)
        var part = MessagePackWriter()
        var bytes: [UInt8] = []
        var hasMore = true
        while hasMore {
            part.removeAll()
            hasMore = stream.write(to: &part, atLeast: partBytes)
            if hasMore { #expect(part.bytes.count >= partBytes) }
            #expect(part.bytes.count < partBytes + 4_000)
            bytes += part.bytes
        }
        #expect(bytes == whole.bytes)
    }

    @Test func `a large frame in parts has the bytes of the whole frame`() {
        let large = Self.list(5_000)
        let messages: [NodeMessage] = [
            .ok(id: 1), .value(id: 2, value: large), .value(id: 3, value: 5),
            .change(
                listen: 4,
                writes: [
                    Write(path: Path([]), value: 5), Write(path: Path([]), value: large),
                    Write(path: Path([]), value: "x"),
                ]),
            .value(id: 5, value: large), .ok(id: 6),
        ]
        var whole = FrameWriter()
        var frame = FrameWriter()
        for message in messages {
            whole.append(message)
            frame.append(deferring: message)
        }
        #expect(frame.byteCount < 3 << 20 + 1_000, "its own bytes are few")
        #expect(frame.byteCount >= 3 << 20)
        for partBytes in [1_000, 64 << 10, 100 << 20] {
            var reader = LargeFrameReader(frame.largeFrame)
            var bytes: [UInt8] = []
            while !reader.isAtEnd {
                let part = reader.next(atLeast: partBytes)
                #expect(part.count < partBytes + 1_000)
                bytes += part
            }
            #expect(bytes == whole.bytes)
        }
        #expect(frame.largeFrame.encoded == whole.bytes)
    }

    @Test func `a frame of small values is written at once`() {
        let small = Self.list(4_000) { .integer(Int64($0)) }
        var frame = FrameWriter()
        frame.append(deferring: .value(id: 1, value: small))
        #expect(!frame.isLarge)
        #expect(frame.bytes == NodeMessage.value(id: 1, value: small).frame)
    }
}
