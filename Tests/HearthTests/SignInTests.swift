import Foundation
import Testing

@testable import Hearth

/// A program that shows tokens to a node with rules.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SignInTests {
    private let node: TestUserNode
    private let database: Database
    private let ada: DatabaseReference

    init() throws {
        node = try TestUserNode()
        database = Database(nodes: [node.url])
        database.callbackQueue = DispatchQueue(label: "test")
        ada = database.reference(withPath: "users/ada")
    }

    /// The code of the failure of a read.
    private func failure(
        reading place: DatabaseReference
    ) async -> HearthError.Code? {
        do throws(HearthError) {
            _ = try await place.getData()
            return nil
        } catch {
            return error.code
        }
    }

    /// Adds what is seen at a place, and the end, to what was heard.
    private func observe(_ place: DatabaseReference, _ heard: Heard) {
        place.observe(.value) { snapshot in
            heard.add("\(snapshot.value ?? "null")")
        } withCancel: { _ in
            heard.add("cancelled")
        }
    }

    @Test func `is a user only between sign-in and sign-out`() async throws {
        #expect(await failure(reading: ada) == .permissionDenied)
        #expect(await failure(reading: database.reference(withPath: "news")) == nil)
        try database.signIn(withToken: node.token("ada"))
        try await ada.setValue("Ada" as Value)
        #expect(
            await failure(reading: database.reference(withPath: "users/eve")) == .permissionDenied)
        let heard = Heard()
        observe(ada, heard)
        try heard.wait(for: ["Ada"])
        database.signOut()
        try heard.wait(for: ["Ada", "cancelled"])
        #expect(await failure(reading: ada) == .permissionDenied)
        try database.signIn(withToken: node.token("eve"))
        #expect(await failure(reading: ada) == .permissionDenied)
        database.close()
    }

    @Test func `learns that its token has expired, and signs in with another one`() async throws {
        let heard = Heard()
        database.tokenExpirationHandler = { heard.add("expired") }
        try database.signIn(withToken: node.token("ada", "--for", "2s"))
        try await ada.setValue("Ada" as Value)
        observe(ada, heard)
        try heard.wait { $0.contains("expired") && $0.contains("cancelled") }
        #expect(heard.lines.first == "Ada")
        #expect(await failure(reading: ada) == .permissionDenied)
        try database.signIn(withToken: node.token("ada"))
        #expect(await failure(reading: ada) == nil)
        database.close()
    }

    @Test func `continues with a token that replaces another one in time`() async throws {
        let heard = Heard()
        database.tokenExpirationHandler = { heard.add("expired") }
        try database.signIn(withToken: node.token("ada", "--for", "2s"))
        try await ada.setValue(1 as Value)
        observe(ada, heard)
        try heard.wait(for: ["1"])
        try database.signIn(withToken: node.token("ada"))
        // Nodes look at the time every half second, so that the first token is over for long then.
        try await Task.sleep(for: .seconds(3.5))
        try await ada.setValue(2 as Value)
        try heard.wait(for: ["1", "2"])
        database.close()
    }

    @Test func `is refused with an invalid token, and admitted with a valid one`()
        async throws
    {
        let token = try node.token("ada")
        try database.signIn(withToken: String(token.dropLast(4)) + "AAAA")
        database.readTimeout = .seconds(1)
        #expect(await failure(reading: ada) != nil)
        try database.signIn(withToken: token)
        database.readTimeout = .seconds(10)
        #expect(await failure(reading: ada) == nil)
        #expect(throws: HearthError.self) { try database.signIn(withToken: "no token") }
        database.close()
    }

    private static let environments: [([String: String], ShownCredential)] = [
        ([:], .nothing), (["HEARTH_SECRET_FILE": "a"], .file("a", .administratorSecret)),
        (["HEARTH_TOKEN": "eyJ.e30.x"], .text("eyJ.e30.x")),
        (["HEARTH_TOKEN": "eyJ.e30.x", "HEARTH_SECRET_FILE": "a"], .text("eyJ.e30.x")),
        (
            ["HEARTH_TOKEN": "/home/ada.token", "HEARTH_SECRET_FILE": "a"],
            .file("/home/ada.token", .token)
        ),
        (["HEARTH_TOKEN": "eyJ.token"], .file("eyJ.token", .token)),
        (["HEARTH_TOKEN": "", "HEARTH_SECRET_FILE": ""], .nothing),
        (["HEARTH_TOKEN": "", "HEARTH_SECRET_FILE": "a"], .file("a", .administratorSecret)),
    ]

    @Test(arguments: SignInTests.environments)
    func `uses the credential of the environment`(
        environment: [String: String], shown: ShownCredential
    ) {
        #expect(ShownCredential(environment) == shown)
    }

    @Test func `says which file cannot be read`() throws {
        #expect(try ShownCredential.nothing.text() == nil)
        #expect(throws: HearthError.self) { try ShownCredential.file("/nowhere", .token).text() }
    }
}
