/// Scheduled events, the earliest first; of two at one time, the one that was scheduled first.
///
/// A heap with four children to a parent, of entries so small that the four share a line of the processor's cache; the events
/// themselves stay where they were put.
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

        func precedes(_ other: Entry) -> Bool { order < other.order }
    }

    private var heap: [Entry] = []
    private var events: [Event?] = []
    private var freeSlots: [Int] = []
    private var lastSequence: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    /// - Complexity: O(log n).
    mutating func schedule(_ event: Event, at time: Microseconds) {
        lastSequence += 1
        let entry = Entry(time: time, sequence: lastSequence, slot: keep(event))
        heap.append(entry)
        heap.withUnsafeMutableBufferPointer { EventQueue.siftUp(entry, in: $0) }
    }

    /// When the next event happens.
    var nextTime: Microseconds? { heap.first?.time }

    /// Takes the next event.
    ///
    /// - Complexity: O(log n).
    mutating func next() -> (time: Microseconds, event: Event)? {
        guard let first = heap.first, let event = events[first.slot].take() else { return nil }
        freeSlots.append(first.slot)
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap.withUnsafeMutableBufferPointer { EventQueue.siftDown(last, in: $0) }
        }
        return (first.time, event)
    }

    private mutating func keep(_ event: Event) -> Int {
        if let slot = freeSlots.popLast() {
            events[slot] = event
            return slot
        }
        events.append(event)
        return events.count - 1
    }

    /// Puts an entry at the last place, or nearer to the root.
    private static func siftUp(_ entry: Entry, in heap: UnsafeMutableBufferPointer<Entry>) {
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 4
            guard entry.precedes(heap[parent]) else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    /// Puts an entry at the root, or farther from it.
    private static func siftDown(_ entry: Entry, in heap: UnsafeMutableBufferPointer<Entry>) {
        var index = 0
        while case let first = 4 * index + 1, first < heap.count {
            var least = first
            for child in first + 1..<min(first + 4, heap.count)
            where heap[child].precedes(heap[least]) { least = child }
            guard heap[least].precedes(entry) else { break }
            heap[index] = heap[least]
            index = least
        }
        heap[index] = entry
    }
}
