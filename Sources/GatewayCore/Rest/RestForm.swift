internal import HTTPText
internal import JSONText

/// How the answer to a REST request is written.
struct RestForm: Equatable {
    /// `print=pretty`.
    let layout: JSONWriter.Layout
    /// `format=export`.
    let form: JSONWriter.Form
    /// `print=silent`: a status alone.
    let isSilent: Bool
    /// `shallow=true`: true in place of each child.
    let isShallow: Bool
    /// `callback=f`: the answer is a script that calls this function.
    let callback: String?
    /// `download=x.json`: a browser saves the answer under this name.
    let fileName: String?

    /// - Parameter mayLoadScript: Whether the answer may be a script: script elements send no Origin, so that a page of another
    ///   site could read data by one.
    init(
        _ head: RequestHead, _ parameters: QueryParameters, mayLoadScript: Bool
    ) throws(RestFailure) {
        layout = parameters.first("print") == "pretty" ? .pretty : .compact
        isSilent = parameters.first("print") == "silent"
        form = parameters.first("format") == "export" ? .export : .plain
        let isRead = head.method == .get || head.method == .head
        isShallow = isRead && parameters.first("shallow") == "true"
        fileName = parameters.first("download").flatMap(RestForm.cleaned)
        callback = isRead ? parameters.first("callback") : nil
        guard let callback else { return }
        guard RestForm.isFunction(callback) else { throw .callback }
        guard mayLoadScript else { throw .foreignScript }
    }

    /// The value of Content-Type.
    var contentType: String {
        callback == nil
            ? "application/json; charset=utf-8" : "application/javascript; charset=utf-8"
    }

    /// The text before and after the JSON of an answer.
    var frame: (start: String, end: String) {
        guard let callback else { return ("", "") }
        return (callback + "(", ");")
    }

    private static func isFunction(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetterOrDigit || "_.$".utf8.contains($0) }
    }

    /// A file's name without what could end the header, or lead to another folder.
    private static func cleaned(_ name: String) -> String? {
        let kept = name.utf8.filter { $0.isLetterOrDigit || "_.- ".utf8.contains($0) }.prefix(128)
        let text = String(decoding: kept, as: UTF8.self).drop { $0 == "." || $0 == " " }
        return text.isEmpty ? nil : String(text)
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension RestFailure {
    fileprivate static let callback = RestFailure.invalid(
        "callback must be the name of a function",
        fix: "use letters, digits, _ . and $, 128 at most")

    static let foreignScript = RestFailure(
        status: 403, problem: "A page of another site may not load data as a script.",
        fix: "add the page's origin to \"origins\" of \"http\" in the configuration, and use fetch")
}
