/// Writes measurements in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    /// The type of a metric.
    enum Kind: String {
        case counter, gauge, histogram
    }

    private(set) var text = ""
    private var current = ""

    /// Begins a family: its samples follow.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        current = "hearth_" + name
        declare(kind, help)
    }

    /// Begins a family with one of the names that Prometheus's own libraries use.
    mutating func begin(process name: String, _ kind: Kind, _ help: String) {
        current = "process_" + name
        declare(kind, help)
    }

    private mutating func declare(_ kind: Kind, _ help: String) {
        text += "# HELP \(current) \(help)\n# TYPE \(current) \(kind.rawValue)\n"
    }

    /// Adds a sample of the family.
    mutating func append(_ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
        append(MetricsText.number(value), labels, suffix: "")
    }

    /// Adds a sample of the family.
    mutating func append(_ value: Int, _ labels: KeyValuePairs<String, String> = [:]) {
        append(String(value), labels, suffix: "")
    }

    /// Adds a family of one sample.
    mutating func append(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        begin(name, kind, help)
        append(value)
    }

    /// Adds a family of a histogram.
    mutating func append(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, .histogram, help)
        var total: UInt64 = 0
        for (index, count) in histogram.counts.enumerated() {
            total += count
            let bound =
                index < Histogram.bounds.count
                ? MetricsText.number(Histogram.bounds[index]) : "+Inf"
            append(String(total), ["le": bound], suffix: "_bucket")
        }
        append(MetricsText.number(Double(histogram.nanoseconds) / 1e9), [:], suffix: "_sum")
        append(String(total), [:], suffix: "_count")
    }

    private mutating func append(
        _ value: String, _ labels: KeyValuePairs<String, String>, suffix: String
    ) {
        text += current + suffix
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.key)=\"\(MetricsText.escaped($0.value))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// A number without a fraction where it has none.
    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }

    private static func escaped(_ label: String) -> String {
        var escaped = ""
        for character in label.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
