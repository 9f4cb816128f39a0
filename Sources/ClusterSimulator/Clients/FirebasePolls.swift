import JSONText
import ReplicaCore

/// A Firebase client's long polls: requests on two connections by turns, one of which its node holds until there is something to
/// tell, and scripts that answer them.
struct FirebasePolls {
    enum Event {
        case message(FirebaseMessage)
        /// The node has ended the session.
        case ended
        case refused(Int)
        case failure(String)
    }

    /// How much of what waits goes with one request.
    private static let requestBytes = 3_000

    private var readers = [AnswerReader(), AnswerReader()]
    private var answers: [RestAnswer?] = [nil, nil]
    /// The number of the request that waits for its answer, on each of the two.
    private var waiting: [Int?] = [nil, nil]
    private var nextRequest = 0
    /// The identifier and the password of the session, once the node has named them.
    private var credential: (id: Substring, password: Substring)?
    /// The messages that arrived before an answer with a smaller number.
    private var early: [Int: [FirebaseMessage]] = [:]
    private var nextAnswer = 0
    /// The answer behind which the node has ended the session.
    private var lastAnswer: Int?
    private var nextSegment = 0
    private var unsent: [[UInt8]] = []

    /// The request with which it begins, on the first connection.
    mutating func begin(at host: String, _ parameters: String) -> [UInt8] {
        expectAnswer(on: 0)
        return FirebasePolls.request("start=t&v=5&cb=7\(parameters)", host)
    }

    private static func request(_ query: String, _ host: String) -> [UInt8] {
        // Only pages of the same site get scripts.
        RestText.request(
            "GET", "/.lp?\(query)&ns=simulated", to: host, fields: ["Sec-Fetch-Site: same-origin"])
    }

    /// Whether the client has nothing to send, and its node holds one poll at most.
    var isAtRest: Bool { !hasUnsent && credential != nil && !awaitsEarlier }
    /// Whether a request has no answer, although a later one was sent: the node answers the earlier one first.
    var awaitsEarlier: Bool { waiting.contains { $0.map { $0 < nextRequest - 1 } ?? false } }
    /// Whether messages wait for a request that takes them.
    var hasUnsent: Bool { !unsent.isEmpty }

    mutating func send(_ text: [UInt8]) { unsent.append(text) }

    /// Removes and returns the next request, and the connection for it; nil if none is due.
    mutating func removeRequest(
        to host: String, _ random: inout SplitMix64
    ) -> (connection: Int, bytes: [UInt8])? {
        guard let credential, let free = waiting.firstIndex(of: nil),
            !unsent.isEmpty || waiting == [nil, nil]
        else { return nil }
        expectAnswer(on: free)
        let query = "id=\(credential.id)&pw=\(credential.password)&ser=\(nextSegment)"
        return (free, FirebasePolls.request(query + removeSegments(&random), host))
    }

    private mutating func expectAnswer(on connection: Int) {
        waiting[connection] = nextRequest
        nextRequest += 1
        readers[connection].expect()
    }

    /// Whether a request waits for its answer on one of the two.
    func isWaiting(on connection: Int) -> Bool { waiting[connection] != nil }

    private mutating func removeSegments(_ random: inout SplitMix64) -> String {
        var query = ""
        var index = 0
        while let text = unsent.first, query.utf8.count + text.count < FirebasePolls.requestBytes {
            unsent.removeFirst()
            let data = FirebasePolls.base64(text)
            let cut = random.index(below: 4) == 0 ? random.index(below: data.count) : 0
            let parts = cut == 0 ? [data[...]] : [data[..<cut], data[cut...]]
            for part in parts {
                query += "&seg\(index)=\(nextSegment)&ts\(index)=\(parts.count)&d\(index)="
                query += String(decoding: part, as: UTF8.self)
                index += 1
                nextSegment += 1
            }
        }
        return query
    }

    /// The base 64 of URLs, filled up with dots.
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "."))
            }
        }
        return text
    }

    // MARK: What comes

    /// Reads bytes that have come on one of the two connections.
    mutating func receive(_ bytes: [UInt8], on connection: Int, by json: JSONReader) -> [Event] {
        var events: [Event] = []
        for event in readers[connection].receive(bytes) {
            switch event {
            case .head(let head): answers[connection] = RestAnswer(head: head)
            case .body(let piece): answers[connection]?.body += piece
            case .end:
                waiting[connection] = nil
                guard let answer = answers[connection].take() else { break }
                events += process(answer, by: json)
            case .failure(let problem): events.append(.failure(problem))
            }
        }
        return events
    }

    private mutating func process(_ answer: RestAnswer, by json: JSONReader) -> [Event] {
        guard answer.status == 200 else { return [.refused(answer.status)] }
        var events: [Event] = []
        let lines = answer.text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init)
        for line in lines where !line.hasPrefix("function ") {
            if line.hasPrefix("pLPCommand(\"start\"") {
                let words = line.split(separator: "\"")
                guard words.count == 7 else { return [.failure("\(line)")] }
                credential = (words[3], words[5])
            } else if line.hasPrefix("pLPCommand(\"close\"") {
                let number = line.split(separator: ",").dropFirst().first.flatMap {
                    Int($0.dropLast(2))
                }
                lastAnswer = number ?? nextAnswer - 1
            } else if let failure = keep(line, by: json) {
                events.append(failure)
            }
        }
        events = deliver() + events
        if let last = lastAnswer, nextAnswer > last {
            lastAnswer = nil
            events.append(.ended)
        }
        return events
    }

    /// Keeps the messages of a line until those before have come.
    private mutating func keep(_ line: Substring, by json: JSONReader) -> Event? {
        guard line.hasPrefix("pRTLPCB("), line.hasSuffix(");"),
            let comma = line.firstIndex(of: ","),
            let number = Int(line[..<comma].dropFirst(8)),
            let messages = FirebaseMessage.all(
                in: Array(line[line.index(after: comma)...].dropLast(2).utf8), by: json)
        else { return .failure("no script of a node: \(line)") }
        guard number >= nextAnswer, early[number] == nil else {
            return .failure("the answer \(number) comes twice")
        }
        early[number] = messages
        return nil
    }

    private mutating func deliver() -> [Event] {
        var events: [Event] = []
        while let messages = early.removeValue(forKey: nextAnswer) {
            nextAnswer += 1
            events += messages.map { .message($0) }
        }
        return events
    }
}
