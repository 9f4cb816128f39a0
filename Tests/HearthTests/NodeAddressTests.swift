import Sockets
import Testing

@testable import Hearth

@Suite struct `The address of a node` {
    private static let pin = "#sha256=" + String(repeating: "0a", count: 32)

    @Test(
        arguments: [
            "http://127.0.0.1:7001", "https://db.example.com:7001", "https://10.0.0.1:7001" + pin,
            "https://db.example.com:7001#ca=/etc/my authority.pem",
        ])
    func `is read and written alike`(text: String) throws {
        #expect(try HTTPAddress(node: text).description == text)
    }

    @Test(
        arguments: [
            ("https://10.0.0.1:7001#sha256=0a", "names neither a fingerprint nor"),
            ("ftp://10.0.0.1:7001", "is not an address of a node"),
            ("tcp://10.0.0.1:7001", "is not an address of a node"),
        ])
    func `that is unusable is refused with the reason`(text: String, problem: String) {
        #expect { try HTTPAddress(node: text) } throws: { error in
            "\(error)".contains(problem)
        }
    }
}
