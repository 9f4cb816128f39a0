import DataTree
import Testing

@testable import GatewayCore

/// The query parameters of reads as Firebase has them.
@Suite struct QueryTests {
    private static let people = """
        {"ada":{".priority":3,"n":3,"name":"Ada","deep":{"x":1}},"bob":{".priority":1,"n":1,"name":"Bob"},\
        "cy":{".priority":2,"n":3,"name":"C+y"},"dee":{"on":true}}
        """

    @Test func `a plus in a query is a space, and a plus in a path is a plus`() {
        var node = TestGateway()
        _ = node.curl("/a+b.json", "PUT", body: #"{"x":{"name":"Ada Lovelace"}}"#)
        let query = "orderBy=%22name%22&equalTo=%22Ada+Lovelace%22"
        #expect(node.curl("/a+b.json?" + query).body == #"{"x":{"name":"Ada Lovelace"}}"#)
        #expect(node.curl("/.json?shallow=true").body == #"{"a+b":true}"#)
    }

    /// The keys that a read with a query shows.
    private static func keys(of query: String) -> [String] {
        var node = TestGateway()
        _ = node.curl("/u.json", "PUT", body: people)
        let answer = node.curl("/u.json?" + query)
        #expect(answer.status == 200, "\(answer)")
        return answer.json?.children.map(\.key.text) ?? []
    }

    @Test(arguments: [
        (#"orderBy="n"&limitToFirst=1"#, ["dee"]),
        (#"orderBy="n"&limitToLast=2"#, ["ada", "cy"]),
        (#"orderBy="n"&startAt=3"#, ["ada", "cy"]),
        (#"orderBy="n"&startAt=3,"b""#, ["cy"]),
        (#"orderBy="n"&startAt=3,"cy"&endAt=3,"cy""#, ["cy"]),
        (#"orderBy="n"&startAfter=1"#, ["ada", "cy"]),
        (#"orderBy="n"&startAfter=3,"ada""#, ["cy"]),
        (#"orderBy="n"&endAt=1"#, ["bob", "dee"]),
        (#"orderBy="n"&endBefore=3"#, ["bob", "dee"]),
        (#"orderBy="n"&endBefore=3,"cy""#, ["ada", "bob", "dee"]),
        (#"orderBy="n"&equalTo=3"#, ["ada", "cy"]),
        (#"orderBy="n"&equalTo=3,"cy""#, ["cy"]),
        (#"orderBy="n"&equalTo=null"#, ["dee"]),
        (#"orderBy="on"&equalTo=true"#, ["dee"]),
        (#"orderBy="name"&equalTo="C+y""#, []), (#"orderBy="name"&equalTo="C%2By""#, ["cy"]),
        (#"orderBy="name"&equalTo="C%2By""#, ["cy"]),
        (#"orderBy="deep/x"&equalTo=1"#, ["ada"]),
        (#"orderBy="$priority"&startAt=2"#, ["ada", "cy"]),
        (#"orderBy="$priority"&equalTo=1"#, ["bob"]),
        (#"orderBy="$key"&startAt="b"&endAt="cy""#, ["bob", "cy"]),
        (#"orderBy="$key"&equalTo="bob""#, ["bob"]),
        (#"orderBy="$key""#, ["ada", "bob", "cy", "dee"]),
        // Firebase's JavaScript client writes this for startAfter(3) and endBefore(3).
        (#"orderBy="n"&startAfter=1,"[MAX_NAME]""#, ["ada", "cy"]),
        (#"orderBy="n"&endBefore=3,"[MIN_NAME]""#, ["bob", "dee"]),
        (#"orderBy="n"&startAt=3,"[MIN_NAME]"&endAt=3,"[MAX_NAME]""#, ["ada", "cy"]),
        (#"orderBy="$key"&startAfter="bob","[MAX_NAME]""#, ["cy", "dee"]),
        // The first of doubles counts, and what has no meaning here does not.
        (#"orderBy="n"&limitToFirst=1&limitToFirst=3&orderBy="name""#, ["dee"]),
        (#"auth=x&ns=y&timeout=1s&orderBy="n"&limitToLast=1&writeSizeLimit=tiny"#, ["cy"]),
    ])
    func `a query shows some children`(query: String, expected: [String]) {
        #expect(QueryTests.keys(of: query) == expected)
    }

    @Test(arguments: [
        ("limitToFirst=1", "orderBy must be defined when other query parameters are defined"),
        ("startAt=1", "orderBy must be defined when other query parameters are defined"),
        ("orderBy=n", "orderBy must be a valid JSON encoded path"),
        ("orderBy=", "orderBy must be a valid JSON encoded path"),
        ("orderBy=5", "orderBy must be a valid JSON encoded path"),
        (#"orderBy="a.b""#, "orderBy must be a valid JSON encoded path"),
        (#"orderBy="""#, "orderBy must be a valid JSON encoded path"),
        (#"orderBy="n"&limitToFirst=x"#, "limitToFirst must be an integer"),
        (#"orderBy="n"&limitToLast=1.5"#, "limitToLast must be an integer"),
        (#"orderBy="n"&limitToLast="#, "limitToLast must be an integer"),
        (#"orderBy="n"&limitToFirst=%2B1"#, "limitToFirst must be an integer"),
        (#"orderBy="n"&limitToFirst=0"#, "limitToFirst must be positive"),
        (#"orderBy="n"&limitToFirst=-1"#, "limitToFirst must be positive"),
        (
            #"orderBy="n"&limitToFirst=1&limitToLast=1"#,
            "limitToFirst cannot be specified in addition to limitToLast"
        ),
        (
            #"orderBy="n"&startAt=1&startAfter=1"#,
            "startAt cannot be specified in addition to startAfter"
        ),
        (#"orderBy="n"&startAt=abc"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="n"&startAt="#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="n"&startAt={"a":1}"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="n"&startAt=[1]"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="n"&startAt=1],[2"#, "Constraint index field must be a JSON primitive"),
        (#"orderBy="n"&startAt=1,"a",2"#, "Constraint index field must be a JSON primitive"),
        (
            #"orderBy="n"&startAt={".sv":"timestamp"}"#,
            "Constraint index field must be a JSON primitive"
        ),
        (#"orderBy="n"&startAt=1,"a/b""#, "Constraint key field must be a valid key name"),
        (#"orderBy="n"&startAt=1,5"#, "Constraint key field must be a valid key name"),
        (
            #"orderBy="n"&equalTo=1&endAt=2"#,
            "equalTo cannot be specified in addition to startAt or endAt"
        ),
        (
            #"orderBy="n"&equalTo=1&startAfter=2"#,
            "equalTo cannot be specified in addition to startAt or endAt"
        ),
    ])
    func `an invalid query is refused with its text and a fix`(query: String, text: String) {
        var node = TestGateway()
        let answer = node.curl("/u.json?" + query)
        #expect(answer.status == 400)
        #expect(answer.error == text)
        #expect(answer.json?[Key(unchecked: "fix")].isNull == false)
        #expect(node.asks == 0)
    }

    @Test(arguments: [
        #"orderBy="$key"&startAt=1"#, #"orderBy="$key"&startAt="a","b""#,
        #"orderBy="$priority"&startAt=true"#,
    ])
    func `a bound that the order cannot compare is refused`(query: String) {
        var node = TestGateway()
        #expect(node.curl("/u.json?" + query).status == 400)
    }

    @Test(arguments: [
        ("shallow=true&limitToFirst=2", #"{"ada":true,"bob":true}"#),
        ("shallow=true&limitToFirst=1&startAfter=bob&timeout=3ms", #"{"cy":true}"#),
        (#"shallow=true&limitToFirst=1&startAfter="bob""#, #"{"cy":true}"#),
        (#"shallow=true&orderBy="n"&limitToLast=1"#, #"{"cy":true}"#),
    ])
    func `a shallow read may be limited by key without an order`(query: String, shown: String) {
        var node = TestGateway()
        _ = node.curl("/u.json", "PUT", body: QueryTests.people)
        #expect(node.curl("/u.json?" + query).body == shown)
    }

    @Test func `a filtered query of a leaf shows nothing`() {
        var node = TestGateway()
        _ = node.curl("/u.json", "PUT", body: "5")
        #expect(node.curl(#"/u.json?orderBy="$key"&limitToFirst=1"#).body == "null")
        #expect(node.curl(#"/u.json?orderBy="$key""#).body == "5")
    }
}
