import CommandLineKit
import DataTree
import Glibc
import Testing

@testable import ClusterAdministration

@Suite struct MigrationRecordTests {
    @Test func `a record is read as it was written`() throws {
        let folder = try TemporaryFolder()
        var record = MigrationRecord(
            source: "https://a.test /x", target: "http://b.test", path: try Path("/x"))
        for cursor in [
            MigrationWalk.Cursor(path: try Path("/x"), after: nil),
            .init(path: try Path("/x/é"), after: Key(unchecked: "k \"1\"")),
        ] {
            record.cursor = cursor
            try writeFile(folder.path + "/state", record.json)
            #expect(try MigrationRecord(file: folder.path + "/state") == record)
        }
        record.rules = "{\"rules\": {}}\n"
        record.phase = .done
        try writeFile(folder.path + "/state", record.json)
        #expect(try MigrationRecord(file: folder.path + "/state") == record)
    }

    @Test func `another file is no record, and a missing one is none`() throws {
        let folder = try TemporaryFolder()
        #expect(try MigrationRecord(file: folder.path + "/state") == nil)
        try writeFile(folder.path + "/state", Array("{}".utf8))
        let error = #expect(throws: CommandError.self) {
            try MigrationRecord(file: folder.path + "/state")
        }
        #expect(error?.status == .badData)
    }

    @Test func `one process at a time uses a state file`() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/state"
        var lock: MigrationLock? = try MigrationLock(of: file)
        let error = #expect(throws: CommandError.self) { _ = try MigrationLock(of: file) }
        #expect(error?.status == .unavailable)
        #expect(error?.problem == "another process migrates with \(file)")
        _ = try MigrationLock(of: file + "2")
        #expect(lock != nil)
        lock = nil
        #expect(access(file + ".lock", F_OK) != 0)
        _ = try MigrationLock(of: file)
        // A killed process leaves the file.
        try writeFile(file + ".lock", [])
        _ = try MigrationLock(of: file)
    }
}

@Suite struct LocationHashesTests {
    private func hashes(_ pages: [[(String, Int64, Int64)]]) throws -> LocationHashes {
        var hashes = LocationHashes(below: try Path("/x"))
        for (path, source, target) in pages.joined() {
            hashes.add(
                source: source == 0 ? .null : .integer(source),
                target: target == 0 ? .null : .integer(target), at: try Path(path))
        }
        return hashes
    }

    @Test func `each child of the location has a row, with what is below it`() throws {
        let hashes = try hashes([[("/x/a", 1, 1), ("/x/b/c", 1, 1), ("/x/b/d", 2, 3)]])
        #expect(hashes.rows.map(\.key) == [Key(unchecked: "a"), Key(unchecked: "b")])
        #expect(hashes.rows.map(\.areEqual) == [true, false])
        #expect(hashes.rows.map(\.source.count) == [1, 2])
        #expect(!hashes.areEqual)
    }

    @Test func `a value on one side alone is a difference`() throws {
        #expect(try !hashes([[("/x/a", 1, 0)]]).areEqual)
        #expect(try !hashes([[("/x/a", 0, 1)]]).areEqual)
        #expect(try hashes([[("/x/a", 2, 2)]]).areEqual)
    }

    @Test func `children beyond the limit share a row`() throws {
        let hashes = try hashes([(0..<150).map { ("/x/\($0)", 1, $0 == 149 ? 2 : 1) }])
        #expect(hashes.rows.count == 101)
        #expect(hashes.rows.last?.key == nil)
        #expect(hashes.rows.last?.source.count == 50)
        #expect(hashes.rows.filter { !$0.areEqual }.count == 1)
    }
}

@Suite struct SourceAddressTests {
    private static let addresses:
        [(text: String, server: String, namespace: String?, shown: String)] = [
            ("https://a.test", "https://a.test:443", nil, "https://a.test"),
            ("https://a.test/", "https://a.test:443", nil, "https://a.test"),
            (
                "http://127.0.0.1:9000/?ns=chat", "http://127.0.0.1:9000", "chat",
                "http://127.0.0.1:9000?ns=chat"
            ),
            ("http://[::1]:9?ns=a", "http://[::1]:9", "a", "http://[::1]:9?ns=a"),
        ]

    @Test(arguments: SourceAddressTests.addresses)
    func `an address names a server and maybe a database`(
        text: String, server: String, namespace: String?, shown: String
    ) throws {
        let address = try SourceAddress(text)
        #expect(address.server.location == server)
        #expect(address.namespace == namespace)
        #expect(address.text == shown)
    }

    @Test(arguments: [
        "", "a.test", "https://", "https://a.test?auth=x", "https://a.test?ns=a&auth=x",
        "https://a.test/#x", "https://a.test/rooms",
    ])
    func `anything else is refused`(text: String) {
        let error = #expect(throws: CommandError.self) { try SourceAddress(text) }
        #expect(error?.status == .usage)
    }

    @Test func `a request escapes keys and shows the credential where the service expects it`()
        throws
    {
        let address = try SourceAddress("http://a.test?ns=n")
        let request = SourceRequest(try Path("/é /b+c"), [("startAfter", "\"k&\"")])
        let secret = String(
            decoding: request.bytes(to: address, showing: .secret("s/1")), as: UTF8.self)
        #expect(
            secret.hasPrefix(
                "GET /%C3%A9%20/b%2Bc.json?startAfter=%22k%26%22&ns=n&auth=s%2F1 HTTP/1.1\r\nHost: a.test\r\n"
            ))
        let token = String(
            decoding: SourceRequest(.root).bytes(to: address, showing: .token("t")),
            as: UTF8.self)
        #expect(token.hasPrefix("GET /.json?ns=n HTTP/1.1\r\n"))
        #expect(token.hasSuffix("\r\nAuthorization: Bearer t\r\n\r\n"))
    }

    @Test func `a redirection keeps the database`() throws {
        let address = try SourceAddress("http://a.test?ns=n")
        #expect(
            address.redirected(to: "https://s.b.test/rooms.json?x=1")?.text
                == "https://s.b.test?ns=n")
        let secure = try SourceAddress("https://a.test")
        #expect(secure.redirected(to: "http://b.test/.json") == nil)
    }
}
