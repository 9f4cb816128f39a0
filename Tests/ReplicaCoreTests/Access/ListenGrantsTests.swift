import DataTree
import Testing

@testable import ReplicaCore
@testable import Rules

/// On which places permitted listens rest.
@Suite struct ListenGrantsTests {
    private let listener = Listens.Listener(session: 1, id: 5)
    private let other = Listens.Listener(session: 2, id: 5)

    private func change(_ path: Path) -> [Change] {
        [Change(path: path, old: .null, new: 1)]
    }

    @Test func `a listen that is checked again has its new dependencies`() {
        var grants = ListenGrants()
        grants.set(ReadGrant(places: ["members/a"]), of: listener)
        grants.set(ReadGrant(places: ["members/b"]), of: listener)
        #expect(grants.listeners(affectedBy: change("members/a"), in: .null) == [])
        #expect(grants.listeners(affectedBy: change("members/b"), in: .null) == [listener])
        grants.set(ReadGrant(places: []), of: listener)
        #expect(grants.isEmpty)
        #expect(grants.listeners(affectedBy: change("members/b"), in: .null) == [])
    }

    @Test func `a session that ends leaves the listens of others`() {
        var grants = ListenGrants()
        grants.set(ReadGrant(places: ["members/a", "open"]), of: listener)
        grants.set(ReadGrant(places: ["members/a"]), of: other)
        #expect(grants.listeners(affectedBy: change("members"), in: .null) == [listener, other])
        grants.removeAll(of: 1)
        #expect(grants.listeners(affectedBy: change("members"), in: .null) == [other])
        #expect(grants.listeners(affectedBy: change("open"), in: .null) == [])
        grants.removeAll(of: 2)
        #expect(grants.isEmpty)
    }
}
