import Foundation
import Testing

/// Programs that know nothing of Hearth, against nodes.
@Suite(.timeLimit(.minutes(3))) struct `Programs written for Firebase` {
    @Test func `curl receives the specified answers at two nodes`() throws {
        let cluster = try TestCluster()
        let outcome = try Program(
            "/usr/bin/env",
            ["bash", Fixture.path("curl-cases.sh"), cluster.address(1), cluster.address(2)]
        ).end(within: 120)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test(arguments: ["recorded_frames.py", "long_poll.py"])
    func `messages of Firebase's JavaScript client get the answers that it needs`(script: String)
        throws
    {
        let cluster = try TestCluster()
        let outcome = try Program(
            "/usr/bin/python3", [Fixture.path(script), cluster.address(2)]
        ).end(within: 60)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }

    @Test(
        .enabled(if: PythonClient.areInstalled, "scripts/test installs the clients from PyPI"),
        arguments: PythonClient.all)
    func `a client from PyPI does all that it can`(client: PythonClient) throws {
        let cluster = try TestCluster()
        let outcome = try Program(
            client.interpreter,
            [Fixture.path(client.script)] + client.arguments
                + [cluster.address(2)]
        ).end(within: 60)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }
}

/// A client library from PyPI, in an environment of its own, as their modules have the same names.
struct PythonClient: CustomTestStringConvertible, Sendable {
    let package: String
    let script: String
    var arguments: [String] = []

    static let all = [
        PythonClient(package: "firebase-admin", script: "firebase_admin_client.py"),
        PythonClient(
            package: "Pyrebase4", script: "pyrebase_client.py", arguments: ["pyrebase"]),
        PythonClient(
            package: "firebase-rest-api", script: "pyrebase_client.py", arguments: ["firebase"]),
    ]

    static var areInstalled: Bool {
        all.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.interpreter) }
    }

    var testDescription: String { package }

    /// Where `scripts/lib/install.sh` puts it.
    var interpreter: String {
        Fixture.repository.appendingPathComponent(".build/python/\(package)/bin/python").path
    }
}

/// Files beside the tests.
enum Fixture {
    static let repository = tests.deletingLastPathComponent().deletingLastPathComponent()
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    static func path(_ name: String) -> String {
        tests.appendingPathComponent("Fixtures/\(name)").path
    }
}
