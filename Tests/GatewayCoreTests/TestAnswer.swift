import DataTree
import JSONText

/// An answer, as a client reads it.
struct TestAnswer: Equatable {
    var status: Int
    var fields: [String: String] = [:]
    var body = ""

    /// The body as JSON.
    var json: Value? { try? JSONReader().parse(body) }

    /// The text of `error`.
    var error: String? {
        if case .string(let text)? = json?[Key(unchecked: "error")] { text } else { nil }
    }

    subscript(name: String) -> String? { fields[name.lowercased()] }

    /// All answers in what was sent to a connection; the body of one without a length goes on to the end.
    static func all(in bytes: [UInt8], toHead isHead: Bool = false) -> [TestAnswer] {
        var answers: [TestAnswer] = []
        var rest = bytes[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            var answer = head(rest[..<end.lowerBound])
            rest = rest[end.upperBound...]
            if !isHead { answer.body = body(of: answer, in: &rest) }
            if answer.status >= 200 { answers.append(answer) }
        }
        return answers
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> TestAnswer {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        var answer = TestAnswer(status: Int(lines[0].split(separator: " ")[1])!)
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: ":")!
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(colon, offsetBy: 2)...])
            answer.fields[name] = answer.fields[name].map { $0 + ", " + value } ?? value
        }
        return answer
    }

    private static func body(of answer: TestAnswer, in rest: inout ArraySlice<UInt8>) -> String {
        if answer["transfer-encoding"] == "chunked" { return chunks(in: &rest) }
        guard answer.status >= 200, answer.status != 204, answer.status != 304 else { return "" }
        let length = answer["content-length"].map { Int($0)! } ?? rest.count
        defer { rest = rest.dropFirst(length) }
        return String(decoding: rest.prefix(length), as: UTF8.self)
    }

    private static func chunks(in rest: inout ArraySlice<UInt8>) -> String {
        var body: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16)!
            body += rest[end.upperBound...].prefix(count)
            rest = rest[end.upperBound...].dropFirst(count + 2)
            if count == 0 { break }
        }
        return String(decoding: body, as: UTF8.self)
    }
}

/// Reads JSON that a test has written.
func json(_ text: String) -> Value { try! JSONReader().parse(text) }
