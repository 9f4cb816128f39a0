import DataTree
import Marks
import SyncProtocol

/// The evictions, decided or proposed, that this replica knows.
///
/// Each entry goes through the stages of `Eviction.Stage`, never back, and members exchange their entries. In the
/// end all members have the same entries, independently of the order of messages. The entries are on the disk,
/// because other members rely on them.
struct Evictions: Sendable {
    /// The name of this replica's member.
    let own: String
    /// Ascending by member and subject.
    private(set) var all: [Eviction] = []
    /// Those at the stage `out`, on which members must agree before the stable time advances.
    private(set) var out: [Eviction] = []
    /// Whether the last turn changed something.
    private(set) var isChanged = false

    init(own: String) { self.own = own }

    mutating func restore(_ evictions: [Eviction]) {
        all = evictions
        list()
    }

    /// Returns the evictions to store, if they have changed.
    mutating func takeChange() -> [Eviction]? {
        defer { isChanged = false }
        return isChanged ? all : nil
    }

    var hasRoom: Bool { all.count < Eviction.limit }

    /// Whether an evicted member may have operations that no other member knows, or has not replayed them yet.
    var isAnythingOpen: Bool { all.contains { $0.stage == .out || $0.stage == .back } }

    /// The votes that are being counted: against incarnations that may still run.
    var votes: [Eviction] { all.filter { $0.stage == .wanted } }

    func hasVote(against member: String) -> Bool {
        all.contains { $0.member == member && $0.stage == .wanted }
    }

    func isOut(_ member: String) -> Bool {
        !out.isEmpty && out.contains { $0.member == member }
    }

    func stage(of incarnation: Eviction) -> Eviction.Stage? {
        let place = place(of: incarnation)
        return isKnown(incarnation, at: place) ? all[place].stage : nil
    }

    /// Records an incarnation, or that it has reached a later stage; returns false if that is known, or there is no
    /// room.
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

    /// Removes the votes against incarnations of a member, except against `current`. Votes against ended
    /// incarnations must not be counted later, after the request has been withdrawn.
    mutating func dropVotes(against member: String, except current: WriterID? = nil) {
        let count = all.count
        all.removeAll { $0.member == member && $0.stage == .wanted && $0.writer != current }
        if all.count < count {
            sometimes(.evictionVoteIsDropped)
            isChanged = true
        }
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
    /// Whether a heartbeat is from an ended incarnation: one that most members have evicted, or one that began on
    /// the data of an evicted one without knowing of that.
    func exclude(_ heartbeat: Heartbeat) -> Bool {
        all.contains { eviction in
            guard eviction.member == heartbeat.member, eviction.stage >= .out else { return false }
            return eviction.writer == heartbeat.writer || !heartbeat.evictions.hasOver(eviction)
        }
    }

    /// Records that an evicted member has rejoined; returns whether it was evicted.
    mutating func noteReturn(of member: String) -> Bool {
        var hasReturned = false
        for eviction in out where eviction.member == member {
            hasReturned = raise(eviction, to: .back) || hasReturned
        }
        return hasReturned
    }

    /// The evicted incarnations of this member of which a peer knows and this data does not.
    func news(in evictions: [Eviction]) -> [Eviction] {
        evictions.filter { eviction in
            eviction.member == own && eviction.stage >= .out && stage(of: eviction) == nil
        }
    }

    /// Whether an incarnation of this member was evicted.
    func hasEnded(_ writer: WriterID) -> Bool {
        let stage = stage(of: Eviction(member: own, writer: writer))
        return stage.map { $0 >= .out } ?? false
    }

    /// The incarnations of this member at this stage.
    func own(at stage: Eviction.Stage) -> [Eviction] {
        all.filter { $0.member == own && $0.stage == stage }
    }

    /// Whether a member with a name before this one's has rejoined and not yet replayed its orphaned operations.
    /// Members replay one after another, because two may have had the same operations.
    var isPrecededByOther: Bool { all.contains { $0.stage == .back && $0.member < own } }

    /// Records that evictions are completed, once all operations are here that the announcing member held.
    mutating func finish(_ evictions: [Eviction]) {
        for eviction in evictions where eviction.stage == .over && eviction.member != own {
            if stage(of: eviction) != nil { _ = raise(eviction, to: .over) }
        }
    }
}

extension [Eviction] {
    /// Whether an incarnation is among these, and has ended.
    func hasOver(_ incarnation: Eviction) -> Bool { has(incarnation, from: .out) }

    func has(_ incarnation: Eviction, from stage: Eviction.Stage) -> Bool {
        contains {
            $0.subject == incarnation.subject && $0.member == incarnation.member
                && $0.stage >= stage
        }
    }
}
