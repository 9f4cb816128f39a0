import Foundation
import Testing

/// A release build prints why an invariant does not hold only if the module has its own `precondition`.
@Suite struct PreconditionTests {
    @Test func `each module that checks invariants has the functions that print why`() throws {
        var modules: Set<String> = []
        for path in Repository.files("swift", under: "Sources") {
            let text = try Repository.text(path)
            guard text.contains(/\bprecondition(Failure)?\(/) else { continue }
            modules.insert(path.split(separator: "/")[1].description)
        }
        #expect(modules.count > 20)
        for module in modules.sorted() {
            #expect(Repository.exists("Sources/\(module)/Preconditions.swift"), "\(module)")
        }
    }
}
