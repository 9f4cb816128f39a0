import DataTree
import JSONText
import QueryEngine
import ReplicaCore

/// A read over REST: what it asks for, and which answers a tree allows.
struct RestRead {
    let path: Path
    private(set) var selection = RestSelection()
    private(set) var isShallow = false
    private var isExport = false
    private var isPretty = false
    private var isSilent = false
    private var callback: String?
    private(set) var wantsTag = false
    /// The ETag of the data that the client has.
    private var known: String?
    private(set) var headAlone = false
    /// Whether it waits until no earlier write can change what it shows.
    private var isStable = false

    /// A read of a location, plain or in one of the ways that there are.
    init(at path: Path, knowing tags: [Path: String], _ random: inout SplitMix64) {
        self.path = path
        switch random.index(below: 12) {
        case 0: isShallow = true
        case 1: isPretty = true
        case 2: isSilent = true
        case 3: callback = "f"
        case 4: headAlone = true
        case 5: known = tags[path]
        case 6: isStable = random.index(below: 3) == 0
        default: break
        }
        isExport = random.index(below: 3) == 0
        wantsTag = known != nil || random.index(below: 3) == 0
        if !isShallow, random.index(below: 2) == 0 { selection = RestSelection(&random) }
        if isShallow { isPretty = random.index(below: 2) == 0 }
    }

    /// Its bytes.
    func bytes(to host: String) -> [UInt8] {
        var parameters = selection.parameters
        if isShallow { parameters.append(("shallow", "true")) }
        if isPretty { parameters.append(("print", "pretty")) }
        if isSilent { parameters.append(("print", "silent")) }
        if isExport { parameters.append(("format", "export")) }
        if let callback { parameters.append(("callback", callback)) }
        var fields: [String] = []
        if wantsTag { fields.append("X-Firebase-ETag: true") }
        if let known { fields.append("If-None-Match: \(known)") }
        // Only pages of the same site load data as scripts.
        if callback != nil { fields.append("Sec-Fetch-Site: same-origin") }
        if isStable { fields.append("Hearth-Stable: 300ms") }
        let target = RestText.target(path, parameters)
        return RestText.request(headAlone ? "HEAD" : "GET", target, to: host, fields: fields)
    }

    // MARK: Answers

    /// The problem of an answer if its node had one of these trees between request and answer; nil
    /// if it is right.
    func problem(
        with answer: RestAnswer, showing trees: [Value], by reader: JSONReader
    ) -> String? {
        if isStable, answer.status == 504 { return nil }
        // Few may wait at a time.
        if isStable, answer.status == 503, answer.text.contains("wait already") { return nil }
        guard [200, 204, 304].contains(answer.status) else {
            return "\(answer.status) \(answer.text)"
        }
        var shown: [Value] = []
        for tree in trees {
            let value = selection.shown(of: tree[path])
            if shown.last != value { shown.append(value) }
        }
        if shown.contains(where: { isRight(answer, showing: $0, by: reader) }) { return nil }
        let tag = answer.head.fields["etag"].map { ", ETag \($0)" } ?? ""
        return "\(answer.status) \(answer.text)\(tag), where its node showed "
            + shown.map(\.description).joined(separator: ", then ")
    }

    private func isRight(
        _ answer: RestAnswer, showing value: Value, by reader: JSONReader
    ) -> Bool {
        let tag = value.isNull ? "null_etag" : DataHash(of: value).text
        if wantsTag != (answer.head.fields["etag"] != nil) { return false }
        if wantsTag, answer.head.fields["etag"] != tag { return false }
        if known == tag { return answer.status == 304 && answer.body.isEmpty }
        if isSilent { return answer.status == 204 && answer.body.isEmpty }
        guard answer.status == 200 else { return false }
        return headAlone ? answer.body.isEmpty : isRight(answer.text, showing: value, by: reader)
    }

    private func isRight(_ text: String, showing value: Value, by reader: JSONReader) -> Bool {
        var text = text[...]
        if let callback {
            guard text.hasPrefix(callback + "("), text.hasSuffix(");") else { return false }
            text = text.dropFirst(callback.count + 1).dropLast(2)
        }
        if isPretty, !value.children.isEmpty, !text.contains("\n  ") { return false }
        let expected = isShallow ? value.shallow : value
        let form: JSONWriter.Form =
            isExport && !(isShallow && !value.children.isEmpty) ? .export : .plain
        if !isShallow, form == .plain, RestText.brackets(in: text) != RestText.brackets(of: value) {
            return false
        }
        let normal = JSONWriter.text(of: expected, form: form)
        guard let shown = try? reader.parse(String(text)) else { return false }
        return shown == (try? reader.parse(normal))
    }
}

extension RestRead: CustomStringConvertible {
    var description: String { String(decoding: bytes(to: "n").prefix { $0 != 13 }, as: UTF8.self) }
}

extension Value {
    /// The value with true in place of each child.
    fileprivate var shallow: Value {
        if children.isEmpty { return self }
        var flat = Children()
        for (key, _) in children { flat[key] = .boolean(true) }
        return Value(flat)
    }
}
