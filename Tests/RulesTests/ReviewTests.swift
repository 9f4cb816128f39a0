import Testing

@testable import Rules

/// Warnings, and what cases left out.
@Suite struct `Reviewing rules` {
    private func warnings(_ rules: String) throws -> [String] {
        try Bench(rules: rules).ruleset.warnings.map { "\($0.code.rawValue) \($0.text)" }
    }

    @Test(arguments: [
        (
            #"{".read":true}"#,
            "open-root every client may read everything; grant it further down, or only to users"
        ),
        (
            #"{".write":"true || now > 1"}"#,
            "open-root every client may write everything; grant it further down, or only to users"
        ),
        (#"{"a":{".read":"now == 'x'"}}"#, "never-true .read of /a is never true: now == 'x'"),
        (
            #"{"$b":{".read":"now > 'x' || $b == 1"}}"#,
            "never-true .read of /$b is never true: now > 'x' || $b == 1"
        ),
        (#"{"a":{".read":"1 > 2"}}"#, "never-true .read of /a is never true: 1 > 2"),
        (
            #"{"a":{".read":"auth != null && false"}}"#,
            "never-true .read of /a is never true: auth != null && false"
        ),
        (
            #"{"a":{".read":"!(now != 'x')"}}"#,
            "never-true .read of /a is never true: !(now != 'x')"
        ),
        (
            #"{"a":{".read":"auth == null ? false : 1 == 2"}}"#,
            "never-true .read of /a is never true: auth == null ? false : 1 == 2"
        ),
        (
            #"{"a":{".read":true,"b":{".read":false}}}"#,
            "shadowed .read of /a/b revokes nothing: that of /a grants it to every client"
        ),
        (
            #"{"a":{".read":true,"$k":{"c":{".read":"auth != null"}}}}"#,
            "shadowed .read of /a/$k/c has no effect: that of /a grants it to every client"
        ),
        (
            #"{"a":{".write":"auth != null","b":{".write":"auth != null"}}}"#,
            "shadowed .write of /a/b has no effect: that of /a grants the same"
        ),
        (
            #"{"a":{".validate":"newData.val().matches(/^a|b$/)"}}"#,
            "anchor the anchors of a regular expression bind all its alternatives; write ^(a|b)$"
        ),
        (
            #"{"a":{".read":"query.equalTo == auth.uid"}}"#,
            "null-equals-null .read of /a is true without a user where both sides are null: query.equalTo == auth.uid; add auth != null && in front"
        ),
        (
            #"{"a":{"$k":{".write":"!(auth['uid'] != data.child('by').val()) || auth.token.admin == true"}}}"#,
            "null-equals-null .write of /a/$k is true without a user where both sides are null: auth['uid'] != data.child('by').val(); add auth != null && in front"
        ),
        (
            #"{"a":{".read":"now > 1 && (query.orderByKey ? query.startAt == auth.uid : false)"}}"#,
            "null-equals-null .read of /a is true without a user where both sides are null: query.startAt == auth.uid; add auth != null && in front"
        ),
    ])
    func `warns of`(rules: String, expected: String) throws {
        #expect(try warnings(rules) == [expected])
    }

    @Test(arguments: [
        "{}", #"{".read":false,".write":false}"#, #"{"a":{".read":true}}"#,
        #"{"a":{".read":"auth != null && query.equalTo == auth.uid"}}"#,
        #"{"a":{".read":"query.equalTo == auth.uid && auth.uid != null"}}"#,
        #"{"a":{".read":"auth == null ? false : query.equalTo == auth.uid"}}"#,
        #"{"a":{".read":"auth == null ? now > 1 : query.equalTo == auth.uid"}}"#,
        #"{"$k":{".read":"auth.uid == $k", ".write":"auth.token.admin == true || auth.uid == 'x'"}}"#,
        #"{"a":{".read":"query.orderByChild == 'by' && query.equalTo == 'x'"}}"#,
        #"{"a":{".validate":"newData.child('by').val() == auth.uid"}}"#,
        #"{"a":{".read":"query.equalTo != auth.uid && auth.provider == 'password'"}}"#,
        #"{"a":{".read":"data.exists()","b":{".read":"data.exists()"}}}"#,
        #"{"a":{".read":true,"b":{".write":false}}}"#, #"{"a":{".validate":false}}"#,
        #"{"a":{".read":"auth != null","b":{".read":false}}}"#,
        #"{"a":{".validate":"newData.val().matches(/^(a|b)$/)"}}"#,
        #"{"a":{".read":"data.val() == 1 || now == 'x'"}}"#, #"{"a":{".read":"auth == 1"}}"#,
        #"{"a":{".read":"now != 'x'"}}"#,
    ])
    func `does not warn of`(rules: String) throws {
        #expect(try warnings(rules) == [])
    }

    @Test func `warns of a document that Firebase refuses`() throws {
        let rules = "{" + String(repeating: " ", count: 300_000) + "}"
        #expect(try Bench(rules: rules).ruleset.warnings.map(\.code) == [.size])
    }

    @Test func `counts what parts came to`() throws {
        let bench = Bench(
            rules:
                #"{"a":{".read":"auth != null && auth.uid == 'u1'"},"b":{".read":"now > data.val()"}}"#
        )
        var coverage = RuleCoverage(of: try bench.ruleset)
        #expect(coverage.outcomes == (0, 8))
        #expect(
            coverage.gaps == [
                "line 1: .read of /a was never evaluated",
                "line 1: .read of /b was never evaluated",
            ])
        coverage.add(try bench.read("/a"))
        coverage.add(try bench.read("/b"))
        #expect(coverage.outcomes == (2, 8))
        #expect(
            coverage.gaps == [
                "line 1: .read of /a: auth != null was never true",
                "line 1: .read of /a: auth.uid == 'u1' was never reached",
                "line 1: .read of /a: auth != null && auth.uid == 'u1' was never true",
                "line 1: .read of /b: now > data.val() always failed",
            ])
        var signedIn = bench
        signedIn.auth = .u1
        coverage.add(try signedIn.read("/a"))
        #expect(coverage.outcomes == (5, 8))
    }
}
