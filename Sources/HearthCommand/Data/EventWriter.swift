internal import DataTree
internal import JSONText
internal import QueryEngine

/// Writes events as lines of JSON:
/// `{"event":"child_added","key":"a","previousKey":null,"data":1}`.
struct EventWriter: Sendable {
    let form: JSONWriter.Form

    func line(for event: ViewEvent) -> [UInt8] {
        var line = Array(#"{"event":"\#(event.kind.name)","key":"#.utf8)
        append(event.key, to: &line)
        line += #","previousKey":"#.utf8
        append(event.previousChildKey, to: &line)
        line += #","data":"#.utf8
        var data = JSONWriter(event.data, form: form)
        data.write(to: &line)
        line += "}\n".utf8
        return line
    }

    private func append(_ key: Key?, to line: inout [UInt8]) {
        var text = JSONWriter(key.map { .string($0.text) } ?? .null)
        text.write(to: &line)
    }
}
