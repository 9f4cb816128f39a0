import SyncProtocol
import Testing

@testable import ReplicaCore

/// Every transition of the table in `Lifecycle`, and that no other event changes anything.
@Suite struct LifecycleTests {
    enum Event: CaseIterable {
        case becomeReady, becomeEvicted, keepNoOrphans, keepTwoOrphans, keptOrphans
        case failInstallation, completeInstallation, completeRejoin, abandonRejoin
        case becomeOld, endAlone, completeRecovery

        func happen(to lifecycle: inout Lifecycle) {
            switch self {
            case .becomeReady: lifecycle.becomeReady()
            case .becomeEvicted: lifecycle.becomeEvicted([LifecycleTests.ended])
            case .keepNoOrphans: lifecycle.beginKeepingOrphans(of: 0)
            case .keepTwoOrphans: lifecycle.beginKeepingOrphans(of: 2)
            case .keptOrphans: _ = lifecycle.keptOrphans()
            case .failInstallation: lifecycle.failInstallation()
            case .completeInstallation: _ = lifecycle.completeInstallation()
            case .completeRejoin: _ = lifecycle.completeRejoin()
            case .abandonRejoin: _ = lifecycle.abandonRejoin()
            case .becomeOld: lifecycle.becomeOld()
            case .endAlone: lifecycle.endAlone(LifecycleTests.ended)
            case .completeRecovery: _ = lifecycle.completeRecovery()
            }
        }
    }

    private static let ended = Eviction(member: "n1", writer: 7, stage: .out)

    /// The states by short names; `+` for one whose clients still wait.
    private static let states: [String: Lifecycle] = {
        var states: [String: Lifecycle] = [
            "starting": .starting(Startup(disk: .whole)), "serving": .serving(),
            "recovering": .rejoining(Rejoin(phase: .recovering)),
        ]
        let phases: [(String, Rejoin.Phase, CheckpointTransfer.Phase?)] = [
            ("transferring", .transferring, nil), ("storing", .transferring, .storing),
            ("complete", .transferring, .complete),
            ("keeping 2", .transferring, .keepingOrphans(2)),
            ("keeping 1", .transferring, .keepingOrphans(1)),
            ("installable", .transferring, .installable),
            ("installing", .transferring, .installing), ("awaiting", .awaitingMembers, nil),
        ]
        for (name, phase, transferPhase) in phases {
            let transfer = transferPhase.map {
                CheckpointTransfer(member: "n2", replacesAll: true, phase: $0)
            }
            states[name] = .rejoining(Rejoin(phase: phase, transfer: transfer))
            states[name + "+"] = .rejoining(
                Rejoin(phase: phase, startup: Startup(disk: .whole), transfer: transfer))
        }
        return states
    }()

    private func name(_ lifecycle: Lifecycle) -> String {
        switch lifecycle {
        case .starting: return "starting"
        case .serving: return "serving"
        case .rejoining(let rejoin):
            let suffix = rejoin.startup == nil ? "" : "+"
            return switch (rejoin.phase, rejoin.transfer?.phase) {
            case (.transferring, nil): "transferring" + suffix
            case (_, .keepingOrphans(let count)?): "keeping \(count)" + suffix
            case (_, let phase?): "\(phase)" + suffix
            case (.awaitingMembers, nil): "awaiting" + suffix
            case (.recovering, nil): "recovering"
            }
        }
    }

    /// The transitions of replicas whose clients are taken, and of those that have not been evicted.
    private static let transitions: [(from: String, Event, to: String)] = [
        ("starting", .becomeReady, "serving"),
        ("starting", .becomeEvicted, "transferring+"),
        ("serving", .becomeEvicted, "transferring"),
        ("serving", .becomeOld, "recovering"),
        ("starting", .endAlone, "transferring+"),
        ("serving", .endAlone, "transferring"),
        ("recovering", .endAlone, "transferring"),
        ("recovering", .becomeEvicted, "transferring"),
        ("recovering", .completeRecovery, "serving"),
        ("transferring", .abandonRejoin, "serving"),
        ("transferring", .completeInstallation, "awaiting"),
        ("complete", .keepNoOrphans, "installable"),
        ("complete", .keepTwoOrphans, "keeping 2"),
        ("keeping 2", .keptOrphans, "keeping 1"),
        ("keeping 1", .keptOrphans, "installable"),
        ("installable", .failInstallation, "transferring"),
        ("installing", .failInstallation, "transferring"),
        ("awaiting", .becomeEvicted, "transferring"),
        ("awaiting", .completeRejoin, "serving"),
    ]

    private func next(_ state: String, _ event: Event) -> String {
        LifecycleTests.transitions.first { $0.from == state && $0.1 == event }?.to ?? state
    }

    /// A replica that rejoins before it serves clients passes through the same phases.
    private func nextOfUnopened(_ state: String, _ event: Event) -> String {
        let phase = String(state.dropLast())
        if event == .becomeReady { return phase }
        let next = next(phase, event)
        return next == "serving" ? "starting" : next + "+"
    }

    @Test func `each event leads where the table says, and changes no other state`() {
        for (state, lifecycle) in LifecycleTests.states.sorted(by: { $0.key < $1.key }) {
            for event in Event.allCases {
                var lifecycle = lifecycle
                event.happen(to: &lifecycle)
                let expected =
                    state.hasSuffix("+") ? nextOfUnopened(state, event) : next(state, event)
                #expect(name(lifecycle) == expected, "\(event) in \(state)")
            }
        }
    }

    @Test func `a state determines which clients are served`() {
        // Whether clients are taken, operations are made, and operations of peers are taken.
        let table: [String: (isOpen: Bool, isRejoining: Bool)] = [
            "starting": (false, false), "serving": (true, false), "transferring": (true, true),
            "transferring+": (false, true), "awaiting": (true, true), "awaiting+": (false, true),
        ]
        for (state, expected) in table {
            let lifecycle = LifecycleTests.states[state]!
            #expect(lifecycle.isOpen == expected.isOpen, "\(state)")
            #expect(lifecycle.isRejoining == expected.isRejoining, "\(state)")
            #expect(lifecycle.isReceiving, "a replica with a past takes operations in each state")
        }
        #expect(!Lifecycle.starting(Startup(disk: .empty)).isReceiving)
    }

    @Test
    func `on-disconnect writes of ended sessions return once operations may be made`() {
        var lifecycle = Lifecycle.serving()
        let ada = Attribution(user: "ada", rules: "one")
        let writes = PermittedWrites(writes: [Write(path: "a", value: 1)], attribution: ada)
        let others = PermittedWrites(writes: writes.writes + writes.writes, attribution: nil)
        lifecycle.postpone(writes)
        lifecycle.becomeEvicted([LifecycleTests.ended])
        lifecycle.postpone(writes)
        #expect(lifecycle.completeInstallation() == [LifecycleTests.ended])
        lifecycle.postpone(others)
        #expect(lifecycle.completeRejoin() == [writes, others])
    }

    @Test func `a transfer goes on from state to state`() {
        let transfer = CheckpointTransfer(member: "n2")
        var lifecycle = Lifecycle.starting(Startup(disk: .whole))
        lifecycle.transfer = transfer
        lifecycle.becomeReady()
        #expect(lifecycle.transfer == transfer)
        lifecycle.becomeEvicted([LifecycleTests.ended])
        #expect(lifecycle.transfer == transfer)
        lifecycle.beginTransfer(from: "n3", at: 100)
        #expect(lifecycle.transfer == CheckpointTransfer(member: "n3", replacesAll: true))
        lifecycle.transfer?.phase = .complete
        lifecycle.beginKeepingOrphans(of: 0)
        #expect(lifecycle.transfer?.phase == .installable)
        lifecycle.transfer?.phase = .installing
        #expect(lifecycle.isInstalling)
        #expect(lifecycle.completeInstallation() == [], "the transfer has not ended")
        lifecycle.failInstallation()
        #expect(lifecycle.transfer == nil && lifecycle.isRejoining)
    }

    @Test func `the live members that know the eviction are asked one after another`() {
        var peers = Peers(members: ["n2", "n3", "n4"], of: "n1", own: 1)
        let known = [LifecycleTests.ended]
        for (member, writer, evictions) in [("n2", 2, known), ("n3", 3, []), ("n4", 4, known)]
            as [(String, UInt64, [Eviction])]
        {
            _ = peers.receive(.of(member, WriterID(bits: writer), evictions: evictions), at: 1)
        }
        var lifecycle = Lifecycle.serving()
        lifecycle.becomeEvicted(known)
        var asked: [String?] = []
        for milliseconds in [10, 20, 1_010, 1_500, 2_000] as [UInt64] {
            let source = lifecycle.rejoin?.nextSource(of: peers, at: milliseconds)
            asked.append(source)
            if let source { lifecycle.beginTransfer(from: source, at: milliseconds) }
        }
        #expect(asked == ["n2", nil, "n4", nil, nil])
        #expect(lifecycle.rejoin?.nextSource(of: peers, at: 2_010) == nil, "all are silent")
    }
}
