import SyncProtocol
import Testing

@Suite struct PlacementNewsTests {
    private let news = PlacementNews(
        of: "test", at: "n2",
        [
            .init(
                DatabaseName("chat")!, DatabasePlacement(creatingOn: ["n1", "n2"]), isCopied: false),
            .init(
                DatabaseName("game")!,
                DatabasePlacement(
                    epoch: 300, movingFrom: ["n1", "n2"], to: ["n2", "n3"], since: ["n3": 300]),
                isCopied: true),
        ])

    @Test func `news arrive as they were sent`() {
        #expect(PlacementNews.isPresent(in: news.bytes))
        #expect(PlacementNews(news.bytes) == news)
        #expect(PlacementNews(PlacementNews(of: "c", at: "n1", []).bytes)?.entries == [])
    }

    @Test func `bytes that are cut or changed are no news`() {
        let bytes = news.bytes
        for count in 0..<bytes.count { #expect(PlacementNews(Array(bytes[..<count])) == nil) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(PlacementNews(changed) == nil)
        }
    }
}
