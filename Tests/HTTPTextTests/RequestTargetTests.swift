import HTTPText
import Testing

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/", []),
        ("/u/ada.json", ["u", "ada.json"]),
        ("//u//ada/.json", ["u", "ada", ".json"]),
        ("//evil/x.json", ["evil", "x.json"]),
        ("/a%2Fb/c", ["a/b", "c"]),
        ("/a+b%20c%2b", ["a+b c+"]),
        ("/zo%C3%AB/zoë", ["zoë", "zoë"]),
        ("/%2e%2E/..", ["..", ".."]),
        ("/a?b/c", ["a"]),
        ("/%25%32%35", ["%25"]),
    ])
    func `a path is split before it is decoded`(text: String, segments: [String]) throws {
        #expect(try RequestTarget(text).segments() == segments)
    }

    @Test(arguments: [
        ("/a", []),
        ("/a?", []),
        ("/a?b", ["b="]),
        ("/a?b=1&c=2&b=3", ["b=1", "c=2", "b=3"]),
        ("/a?&&b=1&", ["b=1"]),
        ("/a?b=c=d&e=?", ["b=c=d", "e=?"]),
        ("/a?orderBy=\"$key\"&startAt=%22a%20b%22", ["orderBy=\"$key\"", "startAt=\"a b\""]),
        ("/a?b=1%2B1&c=%26&%3D=x", ["b=1+1", "c=&", "==x"]),
        ("/a+b?equalTo=%22Ada+Lovelace%22&c+d=+", ["equalTo=\"Ada Lovelace\"", "c d= "]),
        ("/a?=x", ["=x"]),
        ("/a?b={\"c\":[1|2]}", ["b={\"c\":[1|2]}"]),
    ])
    func `a query is split before it is decoded`(text: String, parameters: [String]) throws {
        let all = try RequestTarget(text).parameters().all
        #expect(all.map { "\($0.name)=\($0.value)" } == parameters)
    }

    @Test func `of two parameters with one name the first is found`() throws {
        let parameters = try RequestTarget("/a?b=1&b=2&c").parameters()
        #expect(parameters.first("b") == "1")
        #expect(parameters.first("c") == "")
        #expect(parameters.first("d") == nil)
    }

    @Test(arguments: [
        ("/a%", TargetError.badEscape("%")),
        ("/a%4", .badEscape("%4")),
        ("/%zz", .badEscape("%zz")),
        ("/%4g1", .badEscape("%4g")),
        ("/%%41", .badEscape("%%4")),
        ("/%+1", .badEscape("%+1")),
        ("/%C3", .notUTF8("%C3")),
        ("/b/%ff%fe", .notUTF8("%ff%fe")),
        ("/%ED%A0%80", .notUTF8("%ED%A0%80")),
        ("/%C0%AF", .notUTF8("%C0%AF")),
    ])
    func `an unreadable target is refused, and named`(text: String, error: TargetError) {
        #expect(throws: error) { try RequestTarget(text).segments() }
        let query = "/?x=" + text.drop { $0 != "%" }
        if case .badEscape = error {
            #expect(throws: error) { try RequestTarget(query).parameters() }
        }
        #expect(error.problem.contains("%"))
    }

    @Test func `bytes of a target that are not UTF-8 are refused when they are decoded`() throws {
        var bytes = Array(request("GET /? HTTP/1.1").utf8)
        bytes[5] = 0xFF
        let head = try #require(Reading([bytes]).heads.first)
        #expect(throws: TargetError.self) { try head.target.segments() }
    }

    @Test func `the raw texts are those of the client`() {
        let target = RequestTarget("/a%2F?b=%20?c")
        #expect(target.pathText == "/a%2F")
        #expect(target.queryText == "b=%20?c")
        #expect(RequestTarget("/a").queryText == nil)
        #expect(RequestTarget("/a?").queryText == "")
    }

    @Test func `two targets are equal that say the same, wherever it stood`() throws {
        #expect(RequestTarget("/a") != RequestTarget("/a?"))
        #expect(RequestTarget("/a") != RequestTarget("/b"))
        #expect(RequestTarget("/a?b") != RequestTarget("/a?c"))
        #expect(RequestTarget("/a?b") != RequestTarget("/c?b"))
        let head = try head(request("DELETE /a?b HTTP/1.1"))
        #expect(head.target == RequestTarget("/a?b"))
    }
}
