internal import DataTree
internal import JSONText
internal import SyncProtocol

/// Writes several writes as the object of an update, whose keys are paths, in parts.
struct UpdateWriter {
    private let writes: [Write]
    private let form: JSONWriter.Form
    private let layout: JSONWriter.Layout
    private var isOpen = false
    /// How many writes have begun.
    private var position = 0
    /// The rest of the present value.
    private var value: JSONWriter?

    init(
        _ writes: [Write], form: JSONWriter.Form, layout: JSONWriter.Layout = .compact
    ) {
        (self.writes, self.form, self.layout) = (writes, form, layout)
    }

    /// Appends the next part of the text; returns whether more follows.
    mutating func write(to bytes: inout [UInt8], atLeast count: Int) -> Bool {
        let end = bytes.count + count
        if !isOpen { bytes.append(UInt8(ascii: "{")) }
        isOpen = true
        while bytes.count < end {
            // Taken out, so that it is changed in place.
            if var writer = value.take() {
                if writer.write(to: &bytes, atLeast: end - bytes.count) { value = writer }
            } else if position < writes.count {
                begin(writes[position], &bytes)
            } else {
                if isPretty, position > 0 { bytes.append(UInt8(ascii: "\n")) }
                bytes.append(UInt8(ascii: "}"))
                return false
            }
        }
        return true
    }

    private var isPretty: Bool { layout == .pretty }

    private mutating func begin(_ write: Write, _ bytes: inout [UInt8]) {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        if isPretty { bytes += "\n  ".utf8 }
        bytes += JSONWriter.bytes(of: .string(write.path.pathText))
        bytes += isPretty ? ": ".utf8 : ":".utf8
        value = JSONWriter(write.value, form: form)
        position += 1
    }
}
