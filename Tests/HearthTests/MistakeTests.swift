import DataTree
import Foundation
import Testing

@testable import Hearth

/// The errors for mistakes of a program, and their time.
@Suite(.timeLimit(.minutes(1))) struct MistakeTests {
    @Test(arguments: [
        "127.0.0.1:7001", "localhost", "http://127.0.0.1", "http://:7001", "http://127.0.0.1:port",
        "http://127.0.0.1:0", "tcp://127.0.0.1:7001", "",
    ])
    func `an invalid address fails each call at once`(address: String) async {
        let place = Database.database(url: address).reference(withPath: "a")
        let error = await #expect(throws: HearthError.self) { try await place.getData() }
        #expect(error?.code == .invalid)
        #expect(address.isEmpty || error?.problem.contains(address) == true)
        #expect(error?.fix.contains("http://127.0.0.1:7001") == true)
        await #expect(throws: HearthError.self) { try await place.setValue(1) }
        let heard = Heard()
        place.observe(.value) { _ in
        } withCancel: { error in
            heard.add(error.code.rawValue)
        }
        #expect(throws: Never.self) { try heard.wait(until: "invalid") }
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "é"])
    func `an invalid secret fails each call at once, and is not shown`(secret: String) async {
        let database = Database(nodes: ["http://127.0.0.1:7001"], secret: secret)
        let error = await #expect(throws: HearthError.self) {
            try await database.reference().getData()
        }
        #expect(error?.code == .invalid)
        #expect(secret.isEmpty || error.map { "\($0)".contains(secret) } == false)
    }

    @Test func `addresses of nodes are taken`() {
        for address in ["http://127.0.0.1:7001", "http://[::1]:7001", "http://localhost:7001"] {
            #expect(throws: Never.self) { try Database(nodes: [address]).connection.get().close() }
        }
    }

    @Test func `an invalid write is refused before a listener sees it`() async throws {
        let place = Database(nodes: ["http://127.0.0.1:1"]).reference(withPath: "a")
        let heard = Heard()
        place.observe(.value) { heard.add("\($0.data)") }
        let wrong: [Value] = [.double(.nan), ["x": .double(.infinity)]]
        for value in wrong {
            let error = await #expect(throws: HearthError.self) { try await place.setValue(value) }
            #expect(error?.code == .invalid && error?.problem.contains("/a") == true)
        }
        let error = await #expect(throws: HearthError.self) {
            try await place.updateChildValues(["x": Double.nan] as [AnyHashable: Any])
        }
        #expect(error?.code == .invalid)
        place.setValue(1) { _, _ in }
        try heard.wait(for: ["1"])
    }

    @Test func `persistence is switched on before the first use, and has a file of its own`()
        async throws
    {
        let node = try TestNode()
        let file = try Persistence.standard(for: [node.url], byteLimit: 1_000).file
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(file != (try Persistence.standard(for: ["http://other:1"], byteLimit: 1).file))
        let first = Database(nodes: [node.url])
        first.isPersistenceEnabled = true
        first.persistenceCacheSizeBytes = 1 << 20
        first.goOffline()
        let heard = Heard()
        first.reference(withPath: "a").observe(.value) { heard.add("\($0.data)") }
        first.reference(withPath: "a").setValue(1) { _, _ in }
        try heard.wait(until: "1")
        first.close()
        #expect(FileManager.default.fileExists(atPath: file))

        let second = Database(nodes: [node.url])
        second.isPersistenceEnabled = true
        try await second.reference(withPath: "b").setValue(1)
        let other = Database(nodes: [node.url]).reference(withPath: "a")
        #expect(try await other.getData().value as? Int == 1)
        second.close()
    }
}
