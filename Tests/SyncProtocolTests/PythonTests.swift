import DataTree
import Foundation
import Testing

@testable import SyncProtocol

/// Debian's python3-msgpack reads what we write, writes it again, and we read the same.
@Suite struct PythonTests {
    @Test(.enabled(if: Python.hasMessagePack, "python3-msgpack is not installed"))
    func `values come back from Python as the same bytes`() throws {
        var random = Seeded(10)
        let values = (0..<500).map { _ in random.value() }
        var writer = MessagePackWriter()
        for value in values { writer.append(value) }

        let back = try Python.run(
            """
            import sys, msgpack
            unpacker = msgpack.Unpacker(sys.stdin.buffer, max_buffer_size=1 << 28)
            for value in unpacker:
                sys.stdout.buffer.write(msgpack.packb(value))
            """, input: writer.bytes)
        #expect(back == writer.bytes)
    }

    @Test(.enabled(if: Python.hasMessagePack, "python3-msgpack is not installed"))
    func `a frame that Python makes is read, and its answer is read by Python`() throws {
        let frame = try Python.run(
            """
            import sys, msgpack
            put = msgpack.packb(["put", 7, "rooms/a", {"title": "zoë", "stars": 4.5, "tags": ["x"]}])
            merge = msgpack.packb(["merge", 8, "", {"a/b": None, "c": 2**40, "d": -1.0}])
            sys.stdout.buffer.write(b"\\x01" + put + merge)
            """, input: [])
        var room = Value.null
        room.set(.string("zoë"), at: try Path("title"))
        room.set(.double(4.5), at: try Path("stars"))
        room.set(.string("x"), at: try Path("tags/0"))
        let received = try FrameReader<ClientMessage>.messages(in: frame)
        let expected: [ClientMessage] = [
            .put(id: 7, path: try Path("rooms/a"), value: room),
            .merge(
                id: 8, path: .root,
                writes: [
                    Write(path: try Path("a/b"), value: .null),
                    Write(path: try Path("c"), value: .integer(1 << 40)),
                    Write(path: try Path("d"), value: .integer(-1)),
                ]),
        ]
        #expect(received == expected.map(Received.message))

        let answer = try Python.run(
            """
            import sys, msgpack
            unpacker = msgpack.Unpacker()
            unpacker.feed(sys.stdin.buffer.read())
            version, *messages = unpacker
            print(version, messages)
            """, input: NodeMessage.value(id: 7, value: room).frame)
        #expect(
            String(decoding: answer, as: UTF8.self)
                == "1 [['value', 7, {'stars': 4.5, 'tags': {'0': 'x'}, 'title': 'zoë'}]]\n")
    }
}

/// Debian's Python, which has Debian's packages.
enum Python {
    static let hasMessagePack = (try? run("import msgpack", input: [])) != nil

    struct Failure: Error {
        let status: Int32
    }

    static func run(_ program: String, input: [UInt8]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-X", "utf8", "-c", program]
        process.standardError = FileHandle.nullDevice
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        try process.run()
        let writing = Thread {
            try? stdin.fileHandleForWriting.write(contentsOf: Data(input))
            try? stdin.fileHandleForWriting.close()
        }
        writing.start()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(status: process.terminationStatus)
        }
        return Array(output)
    }
}
