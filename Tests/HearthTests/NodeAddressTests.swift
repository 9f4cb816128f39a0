import Testing

@testable import Hearth

@Suite struct `The address of a node` {
    private static let key = "b<X1$7J#xxRkzGK{9z)m&+0#Ik<maehVC[i@DI{3"
    private static let pin = "#sha256=" + String(repeating: "0a", count: 32)

    @Test(
        arguments: [
            "http://127.0.0.1:7001", "https://db.example.com:7001", "https://10.0.0.1:7001" + pin,
            "tcp://10.0.0.1:7001?key=" + key,
        ])
    func `is read and written alike, whatever characters a key has`(text: String) throws {
        let address = try NodeAddress(text)
        #expect(address.description == text)
        #expect(address.isKeyed == text.hasPrefix("tcp"))
    }

    @Test(
        arguments: [
            ("https://10.0.0.1:7001#sha256=0a", "the fingerprint in"),
            ("ftp://10.0.0.1:7001", "is no address of a node"),
            ("tcp://10.0.0.1:7001", "has no key"),
            ("tcp://10.0.0.1:7001?key=short", "the key in"),
        ])
    func `that cannot be used is refused with what is wrong`(text: String, problem: String) {
        #expect { try NodeAddress(text) } throws: { error in
            "\(error)".contains(problem)
        }
    }
}
