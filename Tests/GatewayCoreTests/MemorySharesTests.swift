import GatewayCore
import SyncProtocol
import Testing

@Suite struct MemorySharesTests {
    private let ids = (1...4).map { SessionID(number: UInt64($0)) }

    @Test func `with too much for all, the one that keeps most has to end`() {
        var shares = MemoryShares(limit: 100)
        #expect(shares.set(50, of: ids[0]) == nil)
        #expect(shares.set(30, of: ids[1]) == nil)
        #expect(shares.set(20, of: ids[2]) == nil)
        #expect(shares.set(1, of: ids[3]) == ids[0])
        #expect(shares.set(0, of: ids[0]) == nil)
        #expect(shares.set(49, of: ids[3]) == nil)
        #expect(shares.set(50, of: ids[3]) == nil)
        #expect(shares.set(51, of: ids[3]) == ids[3])
    }

    @Test func `as long as it is too much, another one has to end`() {
        var shares = MemoryShares(limit: 100)
        for id in ids { _ = shares.set(25, of: id) }
        #expect(shares.set(90, of: ids[1]) == ids[1])
        #expect(shares.set(80, of: ids[0]) == ids[1])
        #expect(shares.set(0, of: ids[1]) == ids[0])
        #expect(shares.set(0, of: ids[0]) == nil)
    }

    @Test func `of equal ones the later one has to end`() {
        var shares = MemoryShares(limit: 100)
        for id in ids.dropLast() { _ = shares.set(30, of: id) }
        #expect(shares.set(30, of: ids[3]) == ids[3])
    }
}
