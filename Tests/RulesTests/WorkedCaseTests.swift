import Testing

@testable import Rules

/// Worked cases of what Firebase's rules mean, by their numbers; those of protocols and clusters are not here.
@Suite struct `Worked cases` {
    @Test(arguments: grants + validation + updates + queries + values + strings)
    func `are judged as the specification says`(example: WorkedCase) throws {
        let trace = try example.trace()
        #expect(trace.verdict.isAllowed == example.isAllowed, "\(trace.explanation)")
        #expect(trace.explanation.isEmpty == example.isAllowed)
    }

    static let shop = #"{"shop":{"$s":{".write":true},"main":{".write":false}}}"#
    static let literal = #"{"m":{"$k":{"x":{".write":true}},"a":{}}}"#

    static let grants: [WorkedCase] = [
        .deny(1, "{}", as: .u1, .read("/a")),
        .allow(2, #"{"a":{".read":true,"b":{".read":false}}}"#, .read("/a/b")),
        .deny(3, #"{"a":{"b":{".read":true}}}"#, as: .u1, .read("/a")),
        .allow(
            4, #"{"a":{".read":"data.child('n').val() < 3","b":{".read":true}}}"#, .read("/a/b")),
        .deny(4, #"{"a":{".read":"data.child('n').val() < 3","b":{".read":true}}}"#, .read("/a")),
        .allow(5, shop, .set("/shop/x", "1")),
        .deny(5, shop, .set("/shop/main", "1")),
        .allow(6, literal, .set("/m/b/x", "1")),
        .deny(6, literal, .set("/m/a/x", "1")),
        .deny(42, #"{".read":"data.parent().exists()"}"#, .read("/")),
    ]

    static let unnamed =
        #"{"p":{".write":true,"n":{".validate":"newData.isNumber()"},"$other":{".validate":false}}}"#
    static let both = #"{"t":{".write":true,".validate":"newData.hasChildren(['lo','hi'])"}}"#
    static let siblings = #"{"t":{".write":true,"a":{".validate":"newData.isString()"}}}"#
    static let short = #"{"v":{".write":true,".validate":"newData.val().length < 9"}}"#
    static let merged = #"{"w":{".write":"newData.child('k').val() == 1"}}"#

    static let validation: [WorkedCase] = [
        .allow(7, unnamed, .set("/p", #"{"n":1}"#)),
        .deny(7, unnamed, .set("/p", #"{"n":1,"z":1}"#)),
        .deny(8, both, stored: #"{"t":{"lo":1,"hi":2}}"#, .set("/t/hi", "null")),
        .allow(8, both, stored: #"{"t":{"lo":1,"hi":2}}"#, .set("/t", "null")),
        .allow(9, both, stored: #"{"t":{"lo":1}}"#, .set("/t/hi", "2")),
        .allow(10, both, stored: #"{"t":{"lo":1}}"#, .set("/t/lo", "null")),
        .allow(11, siblings, stored: #"{"t":{"a":5}}"#, .set("/t/b", "1")),
        .deny(11, siblings, stored: #"{"t":{"a":5}}"#, .update([("/t/a", "5"), ("/t/b", "1")])),
        .deny(12, short, .set("/v", "5")),
        .allow(12, short, .set("/v", #""12345678""#)),
        .deny(13, short, .set("/v", "5")),
        .allow(14, merged, stored: #"{"w":{"k":1}}"#, .set("/w/z", "2")),
        .deny(14, merged, stored: #"{"w":{"k":1}}"#, .set("/w/k", "2")),
    ]

    static let group =
        #"{"m":{".write":true},"log":{".write":"data.parent().child('m').hasChild(auth.uid)"}}"#
    static let groupAfter =
        #"{"m":{".write":true},"log":{".write":"newData.parent().child('m').hasChild(auth.uid)"}}"#
    static let halves = #"{"a":{".write":true},"b":{".write":true}}"#
    static let stamped = #"{"at":{".write":true,".validate":"newData.val() == now"}}"#
    static let once = #"{"d":{".write":"!data.exists() || !newData.exists()"}}"#
    static let ranked = #"{"r":{".write":true,".validate":"newData.getPriority() > 2"}}"#

    static let updates: [WorkedCase] = [
        .deny(15, group, as: .u1, .update([("/m/u1", "true"), ("/log/1", "\"a\"")])),
        .allow(16, groupAfter, as: .u1, .update([("/m/u1", "true"), ("/log/1", "\"a\"")])),
        .deny(
            17, #"{"a":{".write":true},"b":{".write":false}}"#, .update([("/a", "1"), ("/b", "2")])),
        .deny(
            17, #"{"$k":{".write":"$k == 'a'"}}"#, .update([("/a/x", "1"), ("/b/x", "2")])),
        .deny(
            17, #"{"$k":{".write":true,".validate":"$k == 'a'"}}"#,
            .update([("/a/x", "1"), ("/b/x", "2")])),
        .allow(18, halves, .update([("/a", "1"), ("/b", "2")])),
        .deny(18, halves, .set("/", #"{"a":1,"b":2}"#)),
        .allow(19, stamped, .set("/at", #"{".sv":"timestamp"}"#)),
        .deny(19, stamped, .set("/at", "1600000000000")),
        .deny(
            20, #"{"c":{".write":true,".validate":"newData.val() <= 3"}}"#, stored: #"{"c":3}"#,
            .set("/c", #"{".sv":{"increment":1}}"#)),
        .deny(21, once, stored: #"{"d":1}"#, .set("/d", "2")),
        .allow(21, once, stored: #"{"d":1}"#, .set("/d", "null")),
        .allow(21, once, .set("/d", "2")),
        .allow(22, ranked, .set("/r", #"{".value":1,".priority":3}"#)),
        .deny(22, ranked, .set("/r", "1")),
        .allow(22, ranked, stored: #"{"r":1}"#, .set("/r/.priority", "3")),
        .deny(22, ranked, stored: #"{"r":1}"#, .set("/r/.priority", "1")),
    ]

    static let level =
        #"{"g":{".read":"query.orderByChild == 'lvl' && query.limitToFirst <= 10"}}"#

    static let queries: [WorkedCase] = [
        .allow(
            23, level,
            .read(
                "/g",
                .with {
                    $0.orderByChild = "lvl"
                    $0.limitToFirst = 5
                })),
        .deny(23, level, .read("/g")),
        .deny(24, #"{"g":{".read":"query.limitToLast <= 10"}}"#, .read("/g")),
        .deny(
            24, #"{"g":{".read":"query.limitToLast <= 10"}}"#,
            .read("/g", .with { $0.limitToFirst = 5 })),
        .deny(
            25, #"{"c":{"$r":{".read":true}}}"#, .read("/c", .with { $0.limitToFirst = 1 })),
        .deny(26, #"{"k":{".read":"query.orderByKey"}}"#, .read("/k")),
        .allow(
            26, #"{"k":{".read":"query.orderByKey"}}"#, .read("/k", .with { $0.orderByKey = true })),
    ]

    static let open = #"{"z":{"open":true}}"#
    static let lead = Claim.token(.init("org", Claim(members: [.init("role", .string("lead"))])))
    static let exact = #"{"e":{".write":true,".validate":"newData.val() == 12"}}"#
    static let plan = #"{"z":{".read":"auth.token.plan.beginsWith('pro')"}}"#
    static let number = #"{"n":{".write":true,".validate":"'n' + newData.val() == 'n7'"}}"#
    static let tight =
        #"{"n":{".write":true,".validate":"newData.val() == 1 || newData.val() == 2 && auth != null"}}"#
    static let choice =
        #"{"n":{".write":true,".validate":"auth == null ? newData.val() < 5 : newData.val() < 50"}}"#
    static let team = #"{"z":{".read":"auth.team == 'red'"}}"#

    static let values: [WorkedCase] = [
        .allow(27, exact, .set("/e", "12")),
        .deny(27, exact, .set("/e", "\"12\"")),
        .deny(
            28,
            #"{"z":{".read":"data.child(auth.uid).exists() || data.child('open').val() == true"}}"#,
            stored: open, .read("/z")),
        .allow(
            29,
            #"{"z":{".read":"data.child('open').val() == true || data.child(auth.uid).exists()"}}"#,
            stored: open, .read("/z")),
        .deny(30, #"{"z":{".read":"!(data.child('lvl').val() > 3)"}}"#, .read("/z")),
        .allow(31, #"{"z":{".read":"auth.token.plan == null"}}"#, .read("/z")),
        .deny(32, plan, as: .u1, .read("/z")),
        .allow(32, plan, as: .token(.init("plan", .string("pro-2"))), .read("/z")),
        .allow(33, #"{"z":{".read":"auth.token.org.role == 'lead'"}}"#, as: lead, .read("/z")),
        .deny(
            34, #"{"o":{".write":true,".validate":"newData.val() == data.val()"}}"#,
            stored: #"{"o":{"a":1}}"#, .set("/o", #"{"a":1}"#)),
        .allow(
            35, #"{"o":{".write":true,".validate":"newData.val() != null"}}"#,
            .set("/o", #"{"a":1}"#)),
        .allow(36, number, .set("/n", "7.0")),
        .deny(36, number, .set("/n", "true")),
        .allow(37, tight, .set("/n", "1")),
        .deny(37, tight, .set("/n", "2")),
        .allow(37, tight, as: .u1, .set("/n", "2")),
        .deny(38, choice, .set("/n", "20")),
        .allow(38, choice, as: .u1, .set("/n", "20")),
        .allow(
            47, team,
            as: Claim(members: [.init("uid", .string("a")), .init("team", .string("red"))]),
            .read("/z")),
        .deny(47, team, as: .token(.init("team", .string("red"))), .read("/z")),
        .deny(48, #"{"z":{".read":"auth != null"}}"#, .read("/z")),
        .allow(48, #"{"z":{".read":"auth != null"}}"#, as: .user("a"), .read("/z")),
    ]

    static let letters =
        #"{"s":{".write":true,".validate":"newData.val().matches(/^[a-f]{2,3}$/i)"}}"#

    static let strings: [WorkedCase] = [
        .allow(
            39, #"{"s":{".write":true,".validate":"newData.val().replace('.', '') == 'abc'"}}"#,
            .set("/s", "\"a.b.c\"")),
        .allow(40, letters, .set("/s", "\"AbC\"")),
        .deny(40, letters, .set("/s", "\"abcd\"")),
        .deny(40, letters, .set("/s", "7")),
        .allow(
            41, #"{"s":{".write":true,".validate":"newData.val().endsWith('ab')"}}"#,
            .set("/s", "\"abxab\"")),
        .deny(
            43, #"{"q":{".write":true,".validate":"newData.child('a/../b').exists()"}}"#,
            .set("/q", #"{"a":1,"b":1}"#)),
        .allow(
            44, #"{"q":{".write":true,".validate":"newData.hasChildren([])"}}"#, .set("/q", "5")),
        .deny(
            45, #"{"q":{".write":true,".validate":"newData.val() == '\\u00e9'"}}"#,
            .set("/q", "\"e\u{301}\"")),
        .allow(
            45, #"{"q":{".write":true,".validate":"newData.val() == '\\u00e9'"}}"#,
            .set("/q", "\"\u{e9}\"")),
    ]
}
