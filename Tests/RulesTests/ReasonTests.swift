import DataTree
import Testing

@testable import Rules

/// Why an operation was denied.
@Suite struct `The reason of a denial` {
    private func explanation(_ rule: String, stored: String = "null", as auth: Claim = .u1) throws
        -> [String]
    {
        let bench = Bench(
            rules: "{\"users\":{\"$uid\":{\".read\":\(quoted(rule))}}}", stored: stored, auth: auth)
        return try bench.read("/users/ada/name").explanation
    }

    @Test(arguments: [
        ("auth.uid == $uid", #"auth.uid == $uid is false, as auth.uid is "u1", $uid is "ada""#),
        (
            "auth != null && (auth.uid == $uid && now > 1)",
            #"auth.uid == $uid is false, as auth.uid is "u1", $uid is "ada""#
        ),
        (
            "auth == null || now < 1",
            "auth == null is false, as auth is an object; now < 1 is false, as now is 1700000000000"
        ),
        (
            "!(now > 1 && auth != null)",
            "now > 1 && auth != null is true, as now > 1 is true, auth != null is true"
        ),
        ("!(now < 1 || auth != null)", "auth != null is true, as auth is an object"),
        ("!data.exists() && data.exists()", "data.exists() is false"),
        (
            "data.child('n').isString()",
            "data.child('n').isString() is false, as data.child('n') is null"
        ),
        (
            "auth == null ? true : data.child('age').val() > 3",
            "data.child('age').val() > 3 is an error: two numbers or two strings are needed, as data.child('age').val() is null"
        ),
        (
            "data.child(auth.name).exists() || true",
            "data.child(auth.name) is an error: a string is needed, as auth.name is null"
        ),
        ("root.parent().exists()", "root.parent() is an error: the root has no parent"),
    ])
    func `names the smallest parts that decided, with their values`(rule: String, expected: String)
        throws
    {
        #expect(
            try explanation(rule) == [
                "no .read holds at or above /users/ada/name",
                ".read of /users/$uid, line 1, at /users/ada: \(expected)",
            ])
    }

    @Test func `says that there is no rule`() throws {
        #expect(try Bench(rules: "{}").read("/a").explanation == ["no .read stands at or above /a"])
    }

    @Test func `names the place that is not valid`() throws {
        let bench = Bench(rules: #"{"a":{".write":true,"$k":{".validate":"newData.val() < 9"}}}"#)
        #expect(
            try bench.set("/a", #"{"x":1,"y":20}"#).explanation == [
                "the data at /a/y is not valid",
                ".validate of /a/$k, line 1, at /a/y: newData.val() < 9 is false, as newData.val() is 20",
            ])
        #expect(
            try bench.set("/a", #"{"x":1,"y":20}"#).verdict
                == .denied(.invalid(rule: 1, at: .at("/a/y"))))
    }

    @Test func `shortens long strings`() throws {
        let bench = Bench(
            rules: #"{".read":"data.val() == 'a'"}"#,
            stored: quoted(String(repeating: "b", count: 1000)))
        let line = try #require(try bench.read("/").explanation.last)
        #expect(line.utf8.count < 200)
        #expect(line.hasSuffix("bbb\"…"))
    }
}
