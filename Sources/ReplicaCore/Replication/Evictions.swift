import SyncProtocol

/// What this replica knows of incarnations that are over by decision, or are to be.
///
/// Each entry goes through the stages of `Eviction.Stage`, never back, and members tell each other theirs: so in
/// the end all know the same, in whatever order they heard it. It is kept on disk, as others count on it.
struct Evictions: Sendable {
    /// This replica's member.
    let own: String
    /// Ascending by member and subject.
    private(set) var all: [Eviction] = []
    /// Those at the stage `out`, on which members agree before anything is stable.
    private(set) var out: [Eviction] = []
    /// Whether the last turn changed something.
    private(set) var isChanged = false

    init(own: String) { self.own = own }

    mutating func restore(_ evictions: [Eviction]) {
        all = evictions
        list()
    }

    /// What is to be kept on disk, if that is something new.
    mutating func takeChange() -> [Eviction]? {
        defer { isChanged = false }
        return isChanged ? all : nil
    }

    var hasRoom: Bool { all.count < Eviction.limit }

    /// Whether a member is out that may have done what nobody knows, or has not done it again yet.
    var isAnythingOpen: Bool { all.contains { $0.stage == .out || $0.stage == .back } }

    func isOut(_ member: String) -> Bool {
        !out.isEmpty && out.contains { $0.member == member }
    }

    func stage(of incarnation: Eviction) -> Eviction.Stage? {
        let place = place(of: incarnation)
        return isKnown(incarnation, at: place) ? all[place].stage : nil
    }

    /// Notes an incarnation, or that it has come to a later stage; false if that is known, or has no room.
    mutating func raise(_ incarnation: Eviction, to stage: Eviction.Stage) -> Bool {
        let place = place(of: incarnation)
        if isKnown(incarnation, at: place) {
            guard all[place].stage < stage else { return false }
            all[place].stage = stage
        } else {
            guard hasRoom else { return false }
            all.insert(
                Eviction(
                    member: incarnation.member, subject: incarnation.subject, stage: stage),
                at: place)
        }
        list()
        isChanged = true
        return true
    }

    private mutating func list() { out = all.filter { $0.stage == .out } }

    private func isKnown(_ incarnation: Eviction, at place: Int) -> Bool {
        place < all.count && all[place].member == incarnation.member
            && all[place].subject == incarnation.subject
    }

    private func place(of incarnation: Eviction) -> Int {
        var range = 0..<all.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let other = all[middle]
            range =
                (other.member, other.subject) < (incarnation.member, incarnation.subject)
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

// MARK: - Incarnations

extension Evictions {
    /// Whether a heartbeat is from an incarnation that is over: one that most members wanted out, or one that began
    /// on the data of one that was voted out, without knowing of that.
    func exclude(_ heartbeat: Heartbeat) -> Bool {
        all.contains { eviction in
            guard eviction.member == heartbeat.member, eviction.stage >= .out else { return false }
            return eviction.writer == heartbeat.writer || !heartbeat.evictions.hasOver(eviction)
        }
    }

    /// Notes that a member lives again, if it is out; true if so.
    mutating func noteReturn(of member: String) -> Bool {
        var hasReturned = false
        for eviction in out where eviction.member == member {
            hasReturned = raise(eviction, to: .back) || hasReturned
        }
        return hasReturned
    }

    /// The lives of this member that somebody knows to be over, and this data does not.
    func news(in evictions: [Eviction]) -> [Eviction] {
        evictions.filter { eviction in
            eviction.member == own && eviction.stage >= .out && stage(of: eviction) == nil
        }
    }

    /// This member's own, at some stage.
    func own(at stage: Eviction.Stage) -> [Eviction] {
        all.filter { $0.member == own && $0.stage == stage }
    }

    /// Whether a member with a name before this one's is back, and has not yet done again what it alone had:
    /// they do so one after the other, as two may have had the same.
    var isPrecededByOther: Bool { all.contains { $0.stage == .back && $0.member < own } }

    /// Notes which evictions are over, as a member tells whose operations are all here.
    mutating func finish(_ evictions: [Eviction]) {
        for eviction in evictions where eviction.stage == .over && eviction.member != own {
            if stage(of: eviction) != nil { _ = raise(eviction, to: .over) }
        }
    }
}

extension [Eviction] {
    /// Whether an incarnation is among these, and over.
    func hasOver(_ incarnation: Eviction) -> Bool { has(incarnation, from: .out) }

    func has(_ incarnation: Eviction, from stage: Eviction.Stage) -> Bool {
        contains {
            $0.subject == incarnation.subject && $0.member == incarnation.member
                && $0.stage >= stage
        }
    }
}
