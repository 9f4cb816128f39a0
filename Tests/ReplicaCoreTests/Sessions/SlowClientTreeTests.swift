import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// `SlowClients` keeps a tree for each listen that misses changes, for as long as it needs it.
@Suite struct `The trees kept for slow clients` {
    /// The slow clients of a replica, of which one session has two listens.
    private struct World {
        var slow = SlowClients(keptMilliseconds: kept)
        var isHeld: [Bool] = []

        mutating func hold(_ tree: Value, at milliseconds: UInt64 = 0) {
            slow.hold(session, from: tree, at: milliseconds)
        }

        /// Changes what a listen shows.
        mutating func change(_ listen: UInt64) {
            isHeld.append(slow.holdsBack(.init(session: session, id: listen)))
        }

        /// Begins a listen.
        mutating func begin(_ listen: UInt64) {
            isHeld.append(slow.holdsBackFirst(of: .init(session: session, id: listen)))
        }

        /// Takes what the session has missed: the trees by listen.
        mutating func catchUp() -> [UInt64: Value?] {
            var trees: [UInt64: Value?] = [:]
            while let next = slow.takeMissed(of: session) { trees[next.listen] = .some(next.tree) }
            return trees
        }
    }

    private static let session = SessionID(number: 7)
    private static let kept: UInt64 = 5_000

    @Test func `a listen catches up from the tree of the moment its session was held`() {
        var world = World()
        world.hold(1)
        world.change(1)
        #expect(world.slow.catchingUp.isEmpty)
        world.slow.release(Self.session)
        #expect(world.slow.catchingUp == [Self.session])
        var trees = world.catchUp()
        #expect(trees == [1: 1])
        trees = world.catchUp()
        #expect(trees.isEmpty)
    }

    @Test
    func
        `in a session that is held again each listen keeps the tree since which it misses changes`()
    {
        var world = World()
        world.hold(1)
        world.change(1)
        world.slow.release(Self.session)
        world.hold(2, at: 10)
        world.change(1)
        world.change(2)
        #expect(world.isHeld == [true, true, true])
        let trees = world.catchUp()
        #expect(trees == [1: 1, 2: 2])
    }

    @Test func `once there is room, only changes behind missed ones are held back`() {
        var world = World()
        world.hold(1)
        world.change(1)
        world.slow.release(Self.session)
        world.change(1)
        world.change(2)
        #expect(world.isHeld == [true, true, false])
        #expect(world.slow.heldBack == 2)
    }

    @Test func `a tree is kept for its time from the last hold`() {
        let limit = Self.kept
        var world = World()
        world.hold(1)
        world.change(1)
        world.slow.forgetTrees(at: limit - 1)
        var trees = world.catchUp()
        #expect(trees == [1: 1])

        world.change(1)
        world.slow.forgetTrees(at: limit)
        world.change(2)
        trees = world.catchUp()
        #expect(trees == [1: nil, 2: nil])

        world.hold(3, at: limit)
        world.change(2)
        world.slow.forgetTrees(at: 2 * limit - 1)
        trees = world.catchUp()
        #expect(trees == [2: 3])
    }

    @Test
    func
        `a new listen of a held session gets everything later, one of a session with room at once`()
    {
        var world = World()
        world.hold(1)
        world.begin(1)
        world.slow.release(Self.session)
        world.begin(2)
        #expect(world.isHeld == [true, false])
        let trees = world.catchUp()
        #expect(trees == [1: nil])
    }
}
