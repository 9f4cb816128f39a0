/// Makes requests that are nearly right, the same ones for the same seed.
struct Mutations {
    private var state: UInt64
    private let seeds: [[UInt8]]

    private static let tokens: [String] = [
        "\r\n", "\r", "\n", " ", "\t", ":", ",", ";", "0", "1", "2", "F", "+", "-", "/", "//", "?",
        "%", "\0", "\u{7F}", "é", "\r\n\r\n", "\r\n ", "HTTP/1.1", "HTTP/1.0", "Host: x\r\n",
        "Content-Length: 3\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding : chunked\r\n", "Transfer-Encoding: x\r\n", "Connection: close\r\n",
        "Connection: keep-alive\r\n", "Expect: 100-continue\r\n", "chunked", "0\r\n\r\n",
        "3\r\nabc\r\n", "GET /b HTTP/1.1\r\nHost: x\r\n\r\n", "POST /c HTTP/1.1\r\n",
    ]

    init(seed: UInt64) {
        state = seed
        // Long requests are accepted more often once they are changed.
        let usual = (0..<RawRequest.all.count).map { Mutations.usual[$0 % Mutations.usual.count] }
        seeds = usual.map { Array($0.utf8) } + RawRequest.all.map { $0.bytes + RawRequest.second }
    }

    /// Two requests each, as clients send them.
    static let usual: [String] = [
        request(
            "GET /users/ada/messages.json?orderBy=%22n%22&limitToLast=10 HTTP/1.1",
            "Connection: keep-alive", "User-Agent: Mozilla/5.0 (X11; Linux x86_64)",
            "Accept: application/json, text/plain, */*", "Accept-Language: en-US,en;q=0.9",
            "Referer: http://127.0.0.1:9000/console", "If-None-Match: abc=")
            + request("HEAD /b.json HTTP/1.1", "Accept: */*"),
        request(
            "PUT /users/ada.json?print=silent HTTP/1.1", "Content-Type: application/json",
            "Content-Length: 60")
            + #"{"name":"Ada Lovelace","born":1815,"died":1852,"tags":["a"]}"#
            + request("DELETE /users/bob.json HTTP/1.1", "X-Firebase-ETag: true"),
        request(
            "PATCH /users.json HTTP/1.1", "Transfer-Encoding: chunked", "Accept-Encoding: gzip")
            + "1e;name=value\r\n{\"ada/n\":4,\"cy\":{\"n\":9,\"m\":1}}\r\n0\r\nTrailer: one\r\n\r\n"
            + request("POST /log.json HTTP/1.1", "Content-Length: 2") + "{}",
        request(
            "GET http://db.example.com:9000/a/b.json HTTP/1.1", "Upgrade: websocket",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: http://localhost:3000")
            + request("OPTIONS * HTTP/1.1", "Access-Control-Request-Method: PUT"),
    ]

    /// A request of the seeds, changed in one or two places.
    mutating func next() -> [UInt8] {
        var bytes = seeds[below(seeds.count)]
        for _ in 0...below(2) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = below(bytes.count + 1)
        switch below(6) {
        case 0 where place < bytes.count: bytes[place] = UInt8(below(256))
        case 1 where place < bytes.count: bytes.remove(at: place)
        case 2, 3:
            let token = Mutations.tokens[below(Mutations.tokens.count)]
            bytes.insert(contentsOf: token.utf8, at: place)
        case 4:
            let end = place + below(min(40, bytes.count - place) + 1)
            bytes.insert(contentsOf: bytes[place..<end], at: place)
        default:
            let other = seeds[below(seeds.count)]
            bytes = Array(bytes[..<place]) + other[min(place, other.count)...]
        }
    }

    /// A number below a bound, by SplitMix64.
    private mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(max(bound, 1)))
    }
}
