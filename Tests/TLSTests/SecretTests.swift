import CLibrary
import TLS
import Testing

@Suite struct SecretTests {
    @Test(
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func `hashes are those of the standard`(text: String, hash: String) {
        #expect(SHA256.text(of: SHA256.hash(of: Array(text.utf8))) == hash)
    }

    @Test func `a new secret has 43 characters that URLs and headers take, and differs each time`()
    {
        let secrets = (0..<100).map { _ in Secret.random() }
        #expect(Set(secrets).count == 100)
        for secret in secrets {
            #expect(secret.text.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
            #expect(Secret(secret.text) == secret)
            #expect(secret.hash == SHA256.hash(of: Array(secret.text.utf8)))
        }
        // All characters occur, so that 256 bits of chance are in each.
        #expect(Set(secrets.map(\.text).joined()).count == 64)
    }

    @Test func `a secret shows nothing of itself`() {
        let secret = Secret("hunter2")
        let texts = ["\(secret!)", "\(secret as Any)", String(reflecting: secret), "\([secret])"]
        for text in texts { #expect(!text.contains("hunter2")) }
        var dumped = ""
        dump([secret!], to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test(arguments: ["", "a b", "a\r\nb", "é", String(repeating: "x", count: 16_385)])
    func `what cannot stand in a header is no secret`(text: String) {
        #expect(Secret(text) == nil)
    }
}

@Suite struct SecretFileTests {
    private let files: Files

    init() throws { files = try Files() }

    private func error(_ name: String) -> TLSError? {
        #expect(throws: TLSError.self) { try SecretFile(files.path(name), .signingKey).read() }
    }

    @Test(arguments: ["hunter2", "hunter2\n", "hunter2\r\n"])
    func `a file has one secret in one line`(text: String) throws {
        try files.write("app.secret", text)
        #expect(
            try SecretFile(files.path("app.secret"), .administratorSecret).read().text == "hunter2")
    }

    @Test(arguments: ["", "\n", "hunter2 \n", "hunter2\nhunter3\n"])
    func `a file of anything else is named, and not shown`(text: String) throws {
        try files.write("app.secret", text)
        let error = error("app.secret")
        #expect(error?.problem.contains("app.secret holds no signing key") == true)
        #expect(error?.description.contains("hunter") == false)
    }

    @Test func `a file that is not there, or that others may read, is named`() throws {
        #expect(error("none")?.problem.contains("none: No such file") == true)
        try files.write("app.secret", "hunter2", mode: 0o640)
        #expect(error("app.secret")?.problem.contains("other users may read signing key") == true)
        #expect(error("app.secret")?.fix.contains("chmod 600") == true)
    }

    @Test func `the group of a file of root may read it, and nobody else`() {
        #expect(keepsSecret(mode: 0o600, owner: 7, reader: 7))
        #expect(keepsSecret(mode: 0o440, owner: 0, reader: 7))
        for mode in [0o640, 0o604, 0o644] as [mode_t] {
            #expect(!keepsSecret(mode: mode, owner: 7, reader: 7))
        }
        for mode in [0o660, 0o444, 0o450] as [mode_t] {
            #expect(!keepsSecret(mode: mode, owner: 0, reader: 7))
        }
        #expect(!keepsSecret(mode: 0o640, owner: 0, reader: 0))
    }
}
