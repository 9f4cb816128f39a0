internal import CConsole
internal import FoundationEssentials
internal import TLS

/// A report as one page that opens from disk: the console's elements and styles, and the records that it shows.
package struct ReportPage {
    /// The module that shows the records.
    package enum Kind: String {
        /// One run, or two that are compared.
        case run = "pages/report.js"
        /// The measurements of a benchmark.
        case benchmark = "pages/bench.js"
    }

    private let kind: Kind
    private let title: String
    private let records: [String]

    /// - Parameter records: The JSON of each record.
    package init(_ kind: Kind, title: String, records: [String]) {
        (self.kind, self.title, self.records) = (kind, title, records)
    }

    package var html: String {
        let style = ReportPage.file("style.css") + ReportPage.file("report.css")
        let script = ModuleBundle(of: kind.rawValue) { ReportPage.file($0) }.script
        let data = records.map {
            "<script type=\"application/json\" class=\"record\">\(ReportPage.inScript($0))</script>"
        }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(ReportPage.policy(style, script))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(ReportPage.escaped(title))</title>
            <style>\(style)</style>
            </head>
            <body>
            <noscript><p class="notice">The report needs JavaScript.</p></noscript>
            \(data.joined(separator: "\n"))
            <script type="module">\(script)</script>
            </body>
            </html>

            """
    }

    /// Permits this style and this script alone.
    private static func policy(_ style: String, _ script: String) -> String {
        "default-src 'none'; script-src '\(hash(of: script))'; style-src '\(hash(of: style))'; "
            + "img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    }

    private static func hash(of text: String) -> String {
        "sha256-" + Data(SHA256.hash(of: Array(text.utf8))).base64EncodedString()
    }

    /// JSON that no parser of HTML takes for the end of its element.
    private static func inScript(_ json: String) -> String { json.replacing("<", with: "\\u003c") }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    /// A file of the console.
    private static func file(_ path: String) -> String {
        let files = UnsafeBufferPointer(
            start: hearth_console_all_files(), count: hearth_console_file_count)
        guard let file = files.first(where: { String(cString: $0.path) == path }) else {
            preconditionFailure("the console has no file \(path)")
        }
        return String(
            decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    }
}
