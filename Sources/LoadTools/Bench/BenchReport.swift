package import CommandLineKit
internal import DataTree
internal import JSONText

/// Prints measurements as they come: rows of a table for people, or objects, one a line, for programs.
package struct BenchReport {
    /// One number or name of a measurement.
    package struct Field {
        /// The head of its column.
        let title: String
        /// Its name in JSON.
        let name: String
        let text: String
        let value: Value
        /// The durations whose percentiles this field and the next one are, and their name.
        private(set) var latencies: (name: String, Latencies)?

        package static func name(_ title: String, _ name: String, _ text: String) -> Field {
            Field(title: title, name: name, text: text, value: .string(text))
        }

        package static func whole(_ title: String, _ name: String, _ number: Double) -> Field {
            guard number.isFinite else { return unknown(title, name) }
            let number = number.rounded()
            return Field(
                title: title, name: name, text: String(Int(number)),
                value: Number.double(number).value)
        }

        /// Two digits after the point, three in JSON.
        package static func fraction(_ title: String, _ name: String, _ number: Double) -> Field {
            guard number.isFinite else { return unknown(title, name) }
            let hundredths = Int((abs(number) * 100).rounded())
            let rest = hundredths % 100
            let sign = number < 0 && hundredths > 0 ? "-" : ""
            return Field(
                title: title, name: name,
                text: "\(sign)\(hundredths / 100)." + (rest < 10 ? "0\(rest)" : "\(rest)"),
                value: Number.double((number * 1000).rounded() / 1000).value)
        }

        /// A field without a measurement.
        private static func unknown(_ title: String, _ name: String) -> Field {
            Field(title: title, name: name, text: "-", value: .null)
        }

        /// The median and the 99th percentile, in microseconds; the titles and names are of both.
        static func latencies(_ title: String, _ name: String, _ latencies: Latencies) -> [Field] {
            var sorted = latencies
            var fields = [(0.5, title + " p50", "P50"), (0.99, "p99", "P99")].map {
                fraction, title, end in
                let number = sorted.percentile(fraction)
                return Field(
                    title: title, name: name + "Microseconds" + end,
                    text: number.map { String($0) } ?? "-",
                    value: number.map { .integer(Int64($0)) } ?? .null)
            }
            fields[0].latencies = (title, latencies)
            return fields
        }
    }

    private static let json = Option(flag: "json", "One JSON object a line.")
    private static let html = Option(
        "html", "FILE",
        "Also write a page with plots of latency and throughput, which opens from disk.",
        values: .file)
    /// The options of all benchmarks.
    package static let options = [json, html]

    let isJSON: Bool
    private var hasTitles = false
    private var page: BenchPage?

    package init(_ invocation: Invocation) {
        isJSON = invocation.has(Self.json)
        page = invocation[Self.html].map { BenchPage(of: invocation.name, in: $0) }
    }

    /// Prints the title of the next measurements.
    package mutating func begin(_ heading: String) {
        page?.heading = heading
        if isJSON { return }
        StandardOutput.shared.print(heading + "\n")
        StandardOutput.shared.flush()
    }

    /// Prints a measurement, whose first field names it.
    package mutating func show(_ fields: [Field]) {
        page?.append(fields)
        if isJSON {
            printObject(fields)
        } else {
            if !hasTitles { printRow(fields.map(\.title)) }
            hasTitles = true
            printRow(fields.map(\.text))
        }
        StandardOutput.shared.flush()
    }

    /// Prints the results of all measurements, as fields for programs.
    mutating func summarize(_ fields: [Field], _ sentence: (_ texts: [String]) -> String) {
        page?.sentence = sentence(fields.map(\.text))
        if isJSON {
            printObject(fields)
        } else {
            StandardOutput.shared.print(sentence(fields.map(\.text)))
        }
        StandardOutput.shared.flush()
    }

    /// Writes the page, if the command asks for one.
    package func end() throws(CommandError) -> ExitStatus {
        guard let page else { return .success }
        try page.write()
        if !isJSON { StandardOutput.shared.print("report: \(page.path)") }
        return .success
    }

    /// Prints fields in the order of the columns, which an object of the data model does not keep.
    private func printObject(_ fields: [Field]) {
        let members = fields.map { "\"\($0.name)\":" + JSONWriter.text(of: $0.value) }
        StandardOutput.shared.print("{" + members.joined(separator: ",") + "}")
    }

    private func printRow(_ cells: [String]) {
        let padded = cells.dropFirst().map {
            String(repeating: " ", count: max(1, 12 - $0.count)) + $0
        }
        let name = cells.first ?? ""
        let spaces = String(repeating: " ", count: max(0, 20 - name.count))
        StandardOutput.shared.print(name + spaces + padded.joined())
    }
}
