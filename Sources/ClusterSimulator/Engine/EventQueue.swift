/// Scheduled events, the earliest first; of two at one time, the one that was scheduled first.
///
/// The events of the next few milliseconds are sorted. Later ones wait unsorted in buckets until their time comes near: most are
/// timers of clients, and each frame that is sent would have to find its place among them.
struct EventQueue {
    private struct Entry {
        /// So many events may be scheduled at a time.
        static let slotLimit = 1 << 24

        /// The time, how many were scheduled before, and in the lowest 24 bits the slot of the event: one comparison decides.
        private let order: UInt128

        init(time: Microseconds, sequence: UInt64, slot: Int) {
            precondition(slot < Entry.slotLimit, "\(slot) events are scheduled at a time")
            order = UInt128(time) << 64 | UInt128(sequence << 24 | UInt64(slot))
        }

        var time: Microseconds { Microseconds(truncatingIfNeeded: order >> 64) }
        var slot: Int { Int(truncatingIfNeeded: order) & (Entry.slotLimit - 1) }

        /// The number of its bucket, each of some 2 ms.
        var bucket: UInt64 { time >> 11 }

        func precedes(_ other: Entry) -> Bool { order < other.order }
    }

    private enum Slot {
        case event(Event)
        /// The number of the next free slot.
        case free(next: Int?)
    }

    /// Times further ahead than so many buckets share them with nearer ones.
    private static let bucketCount = 1_024

    /// The entries before the bucket `nextBucket`, the earliest last: one of them is next, unless there is none at all.
    private var near: [Entry] = []
    /// The other entries; there are no buckets until there is one.
    private var buckets: [[Entry]] = []
    private var nextBucket: UInt64 = 0
    /// How many entries are in buckets.
    private var farCount = 0
    /// The events themselves stay where they were put.
    private var slots: [Slot] = []
    private var firstFree: Int?
    private var lastSequence: UInt64 = 0

    var isEmpty: Bool { near.isEmpty }

    /// When the next event happens.
    var nextTime: Microseconds? { near.last?.time }

    /// - Complexity: O(1) for an event beyond the next few milliseconds, otherwise O(events in these).
    mutating func schedule(_ event: consuming Event, at time: Microseconds) {
        lastSequence += 1
        let entry = Entry(time: time, sequence: lastSequence, slot: keep(event))
        if entry.bucket < nextBucket { return insertNear(entry) }
        if buckets.isEmpty { buckets = Array(repeating: [], count: EventQueue.bucketCount) }
        buckets[EventQueue.place(of: entry.bucket)].append(entry)
        farCount += 1
        if near.isEmpty { fillNear() }
    }

    /// Takes the next event.
    ///
    /// - Complexity: O(log n) for n events of a few milliseconds, amortised.
    mutating func next() -> (time: Microseconds, event: Event)? {
        guard let entry = near.popLast() else { return nil }
        var slot = Slot.free(next: firstFree)
        swap(&slots[entry.slot], &slot)
        guard case .event(let event) = slot else { preconditionFailure("an event happens twice") }
        firstFree = entry.slot
        if near.isEmpty { fillNear() }
        return (entry.time, event)
    }

    private mutating func keep(_ event: consuming Event) -> Int {
        guard let place = firstFree else {
            slots.append(.event(event))
            return slots.count - 1
        }
        var slot = Slot.event(event)
        swap(&slots[place], &slot)
        guard case .free(let next) = slot else { preconditionFailure("a slot has two events") }
        firstFree = next
        return place
    }

    private mutating func insertNear(_ entry: Entry) {
        var (place, end) = (0, near.count)
        while place < end {
            let middle = (place + end) / 2
            if entry.precedes(near[middle]) { place = middle + 1 } else { end = middle }
        }
        near.insert(entry, at: place)
    }

    /// Once no entry is near, sorts the next bucket that has some.
    private mutating func fillNear() {
        while near.isEmpty, farCount > 0 {
            let (place, bucket) = (EventQueue.place(of: nextBucket), nextBucket)
            nextBucket += 1
            if buckets[place].isEmpty { continue }
            swap(&near, &buckets[place])
            if near.contains(where: { $0.bucket > bucket }) {
                buckets[place] = near.filter { $0.bucket > bucket }
                near.removeAll { $0.bucket > bucket }
            }
            farCount -= near.count
            if near.count > 1 { near.sort { $1.precedes($0) } }
        }
    }

    private static func place(of bucket: UInt64) -> Int {
        Int(truncatingIfNeeded: bucket) & (bucketCount - 1)
    }
}
