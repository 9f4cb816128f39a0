import DataTree
import JSONText
import SyncProtocol

/// The requests of a REST client, as bytes.
enum RestText {
    /// A request.
    ///
    /// - Parameter target: A path with its query.
    static func request(
        _ method: String, _ target: String, to host: String, fields: [String] = [],
        body: String? = nil
    ) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + fields
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
    }

    /// The same with a body in two chunks.
    static func chunked(
        _ method: String, _ target: String, to host: String, fields: [String], body: String
    ) -> [UInt8] {
        let bytes = Array(body.utf8)
        let pieces = [bytes[..<(bytes.count / 2)], bytes[(bytes.count / 2)...]].filter {
            !$0.isEmpty
        }
        let fields = fields + ["Transfer-Encoding: chunked"]
        let chunks = pieces.flatMap { piece in
            Array("\(String(piece.count, radix: 16));note=x\r\n".utf8) + piece + Array("\r\n".utf8)
        }
        return request(method, target, to: host, fields: fields) + chunks + Array("0\r\n\r\n".utf8)
    }

    /// The target of a location.
    static func target(_ path: Path, _ parameters: [(String, String)] = []) -> String {
        let place = "/" + path.keys.map { encoded($0.text) }.joined(separator: "/") + ".json"
        if parameters.isEmpty { return place }
        return place + "?" + parameters.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
    }

    /// A text with all but letters and digits percent-encoded.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            if byte < 128, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                return String(scalar)
            }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" + digits : digits)
        }.joined()
    }

    /// The JSON of a value, as a client that knows priorities sends it.
    static func json(_ value: Value) -> String { JSONWriter.text(of: value, form: .export) }

    /// The JSON of an update.
    static func json(_ writes: [Write]) -> String {
        let members = writes.map { write in
            let name = write.path.keys.map(\.text).joined(separator: "/")
            return "\(json(Value.string(name))):\(json(write.value))"
        }
        return "{\(members.joined(separator: ","))}"
    }
}

// MARK: - Arrays

extension RestText {
    /// The brackets of a JSON text, which tell arrays from objects.
    static func brackets(in text: Substring) -> String {
        var brackets = ""
        var (isInString, isEscaped) = (false, false)
        for character in text.unicodeScalars {
            if isInString {
                if !isEscaped, character == "\"" { isInString = false }
                isEscaped = !isEscaped && character == "\\"
            } else if character == "\"" {
                isInString = true
            } else if "{}[]".unicodeScalars.contains(character) {
                brackets.unicodeScalars.append(character)
            }
        }
        return brackets
    }

    /// The brackets of a value without priorities: an object is an array if its keys are numbers, and more than half of the places
    /// up to the greatest are taken.
    static func brackets(of value: Value) -> String {
        let children = value.children
        if children.isEmpty { return "" }
        let numbers = children.compactMap { key, _ in
            UInt64(key.text).flatMap { "\($0)" == key.text ? $0 : nil }
        }
        let isArray = numbers.count == children.count && (numbers.max() ?? 0) < 2 * numbers.count
        let inside = children.map { brackets(of: $0.value) }.joined()
        return isArray ? "[\(inside)]" : "{\(inside)}"
    }
}

/// An answer that has come whole.
struct RestAnswer {
    let head: AnswerReader.Head
    var body: [UInt8] = []

    var status: Int { head.status }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// Whether the node says that it closes the connection.
    var closes: Bool { head.fields["connection"]?.lowercased() == "close" }
}
