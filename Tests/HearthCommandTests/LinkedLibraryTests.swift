import Foundation
import Testing

/// The libraries that the programs need.
@Suite struct LinkedLibraryTests {
    private static var isDebugging: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// Foundation's Unicode tables alone would more than double a program in which Swift's libraries are.
    @Test(
        .disabled(if: isDebugging, "a debug build may keep the libraries of earlier imports"),
        arguments: ["hearth", "hearth-sim"])
    func `the programs need only the small part of Foundation`(name: String) throws {
        let program = URL(fileURLWithPath: Command.program)
            .deletingLastPathComponent().appendingPathComponent(name)
        let bytes = try Data(contentsOf: program, options: .alwaysMapped)
        #expect(bytes.range(of: Data("libFoundationEssentials.so".utf8)) != nil)
        #expect(bytes.range(of: Data("libFoundation.so".utf8)) == nil)
    }
}
