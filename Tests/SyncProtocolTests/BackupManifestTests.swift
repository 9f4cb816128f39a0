import DataTree
import SyncProtocol
import Testing

@Suite struct BackupManifestTests {
    private static let chat = DatabaseName("chat")!

    private static let manifest = BackupManifest(
        cluster: "demo", node: "n1", milliseconds: 1_700_000_000_000,
        databases: [
            .default: .init(isCopied: true), .catalog: .init(isCopied: true),
            chat: .init(
                isCopied: false, placement: DatabasePlacement(epoch: 3, nodes: ["n2", "n3"])),
        ])

    @Test func `a manifest is read as it was written`() throws {
        #expect(BackupManifest(Self.manifest.value) == Self.manifest)
        #expect(Self.manifest.copied == [.catalog, .default])
    }

    @Test func `a manifest of a later format, and another value, are refused`() {
        var value = Self.manifest.value
        value.set(.integer(2), at: Path([Key(unchecked: "format")]))
        #expect(BackupManifest(value) == nil)
        for value in [Value.null, .string("manifest"), .object(named: [("format", .integer(1))])] {
            #expect(BackupManifest(value) == nil)
        }
    }
}
