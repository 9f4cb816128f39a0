import DataTree
import Foundation
import Testing

private let file = ProcessInfo.processInfo.environment["HEARTH_SYNC_POINT_SPEC"]

/// The sync-point specification, in the file that `HEARTH_SYNC_POINT_SPEC` names.
@Suite(.enabled(if: file != nil, "set HEARTH_SYNC_POINT_SPEC to the path of sync-point-spec.json"))
struct SpecificationTests {
    let cases: [SpecificationCase]

    init() throws {
        let data = try Data(contentsOf: URL(filePath: #require(file)))
        cases = try JSONDecoder().decode([SpecificationCase].self, from: data)
    }

    @Test(arguments: ["", "foo/bar/baz"])
    func `every case of the specification holds`(prefix: String) {
        #expect(!cases.isEmpty)
        for spec in cases {
            do {
                try SpecificationRun.run(spec, below: path(prefix))
            } catch {
                Issue.record("\(error)")
            }
        }
    }
}
