import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// Administrators see the reason for a refusal by rules; other clients do not.
@Suite struct DenialReasonTests {
    private static let rules = #"""
        {"x": {".read": "data.child('secret').val() == auth.code",
               ".write": "data.child('secret').val() == auth.code"}}
        """#

    private static let requests: [ClientMessage] = [
        .get(id: 1, path: "x"), .children(id: 1, path: "x"), .listen(id: 1, path: "x"),
        .put(id: 1, path: "x", value: 1), .push(id: 1, path: "x", value: 1),
        .merge(id: 1, path: "x", writes: [Write(path: "a", value: 1)]),
        .put(id: 1, path: "x", value: 1, condition: Condition(DataHash(of: .null))),
        .onDisconnect(id: 1, path: "x", value: 1),
    ]

    private static func problem(
        of request: ClientMessage, as principal: Principal
    ) -> String? {
        var node = RuledReplica(rules, data: ["x": ["secret": 1234]])
        _ = node.identify(RuledReplica.user, as: principal)
        for case .error(_, .permissionDenied, let problem, _) in node.ask(
            request, by: RuledReplica.user)
        {
            return problem
        }
        return nil
    }

    @Test(arguments: requests)
    func `only an administrator who acts as a user learns it`(
        _ request: ClientMessage
    ) throws {
        let user = try #require(Self.problem(of: request, as: .user(.user("u1"))))
        #expect(!user.contains("\n") && !user.contains("1234"))
        let override = try #require(Self.problem(of: request, as: .override(.user("u1"))))
        let lines = override.split(separator: "\n")
        #expect(lines.first.map(String.init) == user)
        #expect(
            lines.last?.hasSuffix(
                "at /x: data.child('secret').val() == auth.code is false, "
                    + "as data.child('secret').val() is 1234, auth.code is null") == true)
        #expect(Self.problem(of: request, as: .administrator(name: nil)) == nil)
    }

    @Test(arguments: requests)
    func `only a client that is not signed in is advised to send a user's token`(
        _ request: ClientMessage
    ) {
        func fix(of principal: Principal) -> String? {
            var node = RuledReplica(Self.rules, data: ["x": ["secret": 1234]])
            _ = node.identify(RuledReplica.user, as: principal)
            return node.ask(request, by: RuledReplica.user).compactMap {
                if case .error(_, .permissionDenied, _, let fix) = $0 { fix } else { nil }
            }.first
        }
        #expect(fix(of: .user(.null))?.contains("token of a user") == true)
        #expect(fix(of: .user(.user("u1")))?.contains("change the rules") == true)
        #expect(fix(of: .user(.user("u1")))?.contains("token") == false)
    }

    @Test func `a listen of such an administrator ends with it`() {
        var node = RuledReplica(
            #"{"x": {".read": "data.parent().child('open').val() == true"}}"#, data: ["open": true])
        _ = node.identify(RuledReplica.user, as: .override(.null))
        _ = node.ask(.listen(id: 7, path: "x"), by: RuledReplica.user)
        let told = node.told([
            .requested(
                ClientMessage.put(id: 1, path: "open", value: false).frame,
                by: RuledReplica.administrator)
        ])
        let problems = (told[RuledReplica.user] ?? []).compactMap { message -> String? in
            if case .ended(7, .permissionDenied, let problem, _) = message { problem } else { nil }
        }
        #expect(problems.count == 1)
        #expect(problems[0].hasSuffix("as data.parent().child('open').val() is false"))
    }
}
