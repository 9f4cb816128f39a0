import ReplicaCore

/// A request that has to be refused.
struct MalformedRequest {
    let name: String
    /// The status that it has to get.
    let status: Int
    /// Whether nothing that comes behind it has a meaning, so that the connection has to be closed.
    let closes: Bool
    private let text: String

    private init(_ name: String, _ status: Int, _ text: String) {
        (self.name, self.status, self.text, closes) = (name, status, text, false)
    }

    private init(closing name: String, _ status: Int, _ text: String) {
        (self.name, self.status, self.text, closes) = (name, status, text, true)
    }

    /// Its bytes.
    func bytes(to host: String) -> [UInt8] {
        Array(
            text.replacing("\n", with: "\r\n").replacing("HOST", with: "Host: \(host)")
                .replacing("|", with: "\n").utf8)
    }

    /// One of all that there are; one in eight is at a limit.
    static func draw(_ random: inout SplitMix64) -> MalformedRequest {
        random.index(below: 8) == 0 ? tooDeep : all[random.index(below: all.count)]
    }

    static let all = framing + heads + queries + bodies

    private static let tooDeep = MalformedRequest(
        "an update that is too deep", 400,
        "PATCH /\(String(repeating: "d/", count: 19))d.json HTTP/1.1\nHOST\nContent-Length: 31\n\n"
            + "{\"\(String(repeating: "e/", count: 12))e\":1}")

    private static func get(_ name: String, _ status: Int, _ target: String) -> MalformedRequest {
        MalformedRequest(
            name, status, "GET \(target) HTTP/1.1\nHOST\nSec-Fetch-Site: same-origin\n\n")
    }

    /// `|` stands for a line feed alone.
    private static let framing = [
        MalformedRequest(closing: "a bare line feed", 400, "GET /a.json HTTP/1.1|HOST||\n\n"),
        MalformedRequest(closing: "no request line", 400, "HELLO\n\n"),
        MalformedRequest(closing: "another version", 505, "GET /a.json HTTP/2.0\nHOST\n\n"),
        MalformedRequest(closing: "no host", 400, "GET /a.json HTTP/1.1\nAccept: a\n\n"),
        MalformedRequest(closing: "two hosts", 400, "GET /a.json HTTP/1.1\nHOST\nHOST\n\n"),
        MalformedRequest(
            closing: "two lengths", 400,
            "PUT /a.json HTTP/1.1\nHOST\nContent-Length: 1\nContent-Length: 2\n\n1"),
        MalformedRequest(
            closing: "a length and chunks", 400,
            "PUT /a.json HTTP/1.1\nHOST\nContent-Length: 1\nTransfer-Encoding: chunked\n\n1"),
        MalformedRequest(
            closing: "another coding", 501,
            "PUT /a.json HTTP/1.1\nHOST\nTransfer-Encoding: gzip\n\n"),
        MalformedRequest(
            closing: "a bad chunk", 400,
            "PUT /a.json HTTP/1.1\nHOST\nTransfer-Encoding: chunked\n\nxyz\n1\n"),
        MalformedRequest(
            closing: "an expectation", 417, "PUT /a.json HTTP/1.1\nHOST\nExpect: joy\n\n"),
        MalformedRequest(
            closing: "a long target", 414,
            "GET /\(String(repeating: "a", count: 9_000)).json HTTP/1.1\nHOST\n\n"),
        MalformedRequest(
            closing: "many lines", 431,
            "GET /a.json HTTP/1.1\nHOST\n" + String(repeating: "X: y\n", count: 120) + "\n"),
        MalformedRequest(
            closing: "a huge body", 413,
            "PUT /a.json HTTP/1.1\nHOST\nContent-Length: 99999999\n\n{"),
    ]

    private static let heads = [
        MalformedRequest("another host", 421, "GET /a.json HTTP/1.1\nHost: evil.example\n\n"),
        MalformedRequest(
            "a page of another site", 403,
            "GET /a.json HTTP/1.1\nHOST\nOrigin: https://evil.example\n\n"),
        MalformedRequest("another method", 405, "BREW /a.json HTTP/1.1\nHOST\n\n"),
        MalformedRequest(
            "a compressed body", 415,
            "PUT /a.json HTTP/1.1\nHOST\nContent-Encoding: gzip\nContent-Length: 1\n\n1"),
        MalformedRequest(
            "a condition for an update", 400,
            "PATCH /a.json HTTP/1.1\nHOST\nIf-Match: x\nContent-Length: 2\n\n{}"),
        MalformedRequest(
            "another concern", 400,
            "PUT /a.json HTTP/1.1\nHOST\nHearth-Concern: most\nContent-Length: 1\n\n1"),
        MalformedRequest(
            "a concern for a push", 400,
            "POST /a.json HTTP/1.1\nHOST\nHearth-Concern: all\nContent-Length: 1\n\n1"),
        MalformedRequest("no time", 400, "GET /a.json HTTP/1.1\nHOST\nHearth-Stable: soon\n\n"),
        MalformedRequest(
            "too long a time", 400, "GET /a.json HTTP/1.1\nHOST\nHearth-Stable: 16min\n\n"),
        MalformedRequest(
            "another override", 400,
            "POST /a.json HTTP/1.1\nHOST\nX-HTTP-Method-Override: GET\nContent-Length: 1\n\n1"),
        MalformedRequest(
            "health that is written", 405, "PUT /health HTTP/1.1\nHOST\nContent-Length: 1\n\n1"),
        get("no WebSocket", 426, "/.ws"),
        get("no session that polls", 400, "/.lp?id=a"),
        get("a segment without data", 400, "/.lp?id=a&pw=b&seg0=0&ts0=1"),
        get("another version of polls", 400, "/.lp?start=t&v=4"),
        get("a callback that is no number", 400, "/.lp?start=t&v=5&cb=x"),
        get("no JSON", 404, "/a"),
        get("settings", 404, "/.settings/owner.json"),
        get("a bad escape", 400, "/a%2.json"),
        get("a slash in a key", 400, "/a%2Fb.json"),
        get("a dot in a key", 400, "/a/b.c.json"),
    ]

    private static let queries = [
        get("a range without an order", 400, "/a.json?startAt=1"),
        get("a limit without an order", 400, "/a.json?limitToFirst=1"),
        get("an order without quotes", 400, "/a.json?orderBy=a"),
        get("no limit", 400, "/a.json?orderBy=%22$key%22&limitToFirst=0"),
        get("two limits", 400, "/a.json?orderBy=%22$key%22&limitToFirst=1&limitToLast=1"),
        get("a limit that is no number", 400, "/a.json?orderBy=%22$key%22&limitToLast=x"),
        get("two starts", 400, "/a.json?orderBy=%22a%22&startAt=1&startAfter=2"),
        get("two ends", 400, "/a.json?orderBy=%22a%22&endAt=1&endBefore=2"),
        get("equal and a start", 400, "/a.json?orderBy=%22a%22&equalTo=1&startAt=1"),
        get("a bound that is an object", 400, "/a.json?orderBy=%22a%22&startAt=%7B%22b%22:1%7D"),
        get("a bound's key that is no key", 400, "/a.json?orderBy=%22a%22&startAt=1,%22a.b%22"),
        get("a key that is a number", 400, "/a.json?orderBy=%22$key%22&startAt=true"),
        MalformedRequest(
            "a script for another site", 403,
            "GET /a.json?callback=f HTTP/1.1\nHOST\nSec-Fetch-Site: cross-site\n\n"),
        get("no function", 400, "/a.json?callback=a-b"),
    ]

    private static func put(_ name: String, _ body: String, method: String = "PUT")
        -> MalformedRequest
    {
        MalformedRequest(
            name, 400,
            "\(method) /a.json HTTP/1.1\nHOST\nContent-Length: \(body.utf8.count)\n\n\(body)")
    }

    private static let bodies = [
        put("no data", ""), put("no JSON in the body", "{]"), put("a bad key", #"{"a.b":1}"#),
        put("a bad key at its end", #"{"a-key-of-some-length$":1}"#),
        put("a bad key in its middle", #"{"a-key-of-some-[length-that-is-long-enough":1}"#),
        put("a control character in a key", #"{"a-key\u0001":1}"#),
        put("a delete in a key", #"{"a-longer-key\u007fb":1}"#), put("an empty key", #"{"":1}"#),
        put("too long a key", "{\"\(String(repeating: "k", count: 769))\":1}"),
        put("two values", "1 2"), put("an update of a number", "7", method: "PATCH"),
        put("an update of a place and one below", #"{"a":1,"a/b":2}"#, method: "PATCH"),
        put("a priority that is an object", #"{".value":1,".priority":{"a":1}}"#),
        MalformedRequest(
            "a push to a priority", 400,
            "POST /a/.priority.json HTTP/1.1\nHOST\nContent-Length: 1\n\n1"),
    ]
}
