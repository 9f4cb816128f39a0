import Foundation
import LoadTools
import TLS
import Testing

@testable import SimulatorCommand

/// Reports as files.
@Suite struct ReportPageTests {
    private static let modules = [
        "pages/main.js": """
        import { one, two as other } from '../parts/one.js';
        import '../parts/other.js';
        console.log(one(), other);
        """,
        "parts/one.js": """
        import { base } from './other.js';
        export function one() { return base; }
        export const two = 2;
        export async function three() {}
        """,
        "parts/other.js": "export class base {}",
    ]

    @Test func `modules become one script in the order of their imports`() {
        let script = ModuleBundle(of: "pages/main.js") { Self.modules[$0] }.script
        let starts = script.split(separator: "\n").filter { $0.hasPrefix("const module_") }
        #expect(
            starts == [
                "const module_parts_other_js = (() => {", "const module_parts_one_js = (() => {",
                "const module_pages_main_js = (() => {",
            ])
        #expect(script.contains("const { one, two: other } = module_parts_one_js;"))
        #expect(script.contains("return { one, two, three };"))
        #expect(!script.contains("import") && !script.contains("export"))
    }

    @Test func `a page permits its own style and script alone`() throws {
        let html = ReportPage(.run, title: "a & <b>", records: [#"{"text":"</script><script>"}"#])
            .html
        #expect(html.contains("<title>a &amp; &lt;b></title>"))
        #expect(html.contains(#"{"text":"\u003c/script>\u003cscript>"}"#))
        for name in ["style", "script type=\"module\""] {
            let end = "</\(name.prefix { $0 != " " })>"
            let start = try #require(html.range(of: "<\(name)>"))
            let rest = html[start.upperBound...]
            let text = rest[..<(try #require(rest.range(of: end))).lowerBound]
            let hash = Data(SHA256.hash(of: Array(text.utf8))).base64EncodedString()
            #expect(html.contains("'sha256-\(hash)'"), "\(name)")
        }
    }

    @Test func `a run that fails is reported beside one that passes`() throws {
        let folder = try TemporaryFolder()
        let text = """
            workload operations=6 set=1
            at 1s partition n1 | n2 n3
            at 2s heal
            at 1500ms c1 set /a 1
            at 1900ms n3 reads /a expect 7
            until 3s
            check replicas-equal
            """
        try folder.write(Array(text.utf8), to: "wrong.scenario")
        let outcome = try Command.run([
            "sim", "run", folder.path + "/wrong.scenario", "--seed", "2", "--html",
            folder.path + "/reports",
        ])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("report: \(folder.path)/reports/wrong-seed-2.html"))
        let html = try String(
            contentsOfFile: folder.path + "/reports/wrong-seed-2.html", encoding: .utf8)
        #expect(html.contains("The check expectations-hold fails"))
        #expect(html.contains("wrong.scenario --seed 2"))
    }

    @Test func `only a soak with checks has a report`() throws {
        let outcome = try Command.run(["soak", "--html", "reports"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("add --checks"))
    }
}
