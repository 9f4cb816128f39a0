/// Scheduled events, the earliest first; of two at one time, the one that was scheduled first.
///
/// A binary heap of small entries; the events themselves stay where they were put.
struct EventQueue {
    private struct Entry {
        var time: Microseconds
        var sequence: UInt64
        var slot: Int

        func precedes(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : sequence < other.sequence
        }
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
        siftUp(entry)
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
        if !heap.isEmpty { siftDown(last) }
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

    private mutating func siftUp(_ entry: Entry) {
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entry.precedes(heap[parent]) else { break }
            heap[index] = heap[parent]
            index = parent
        }
        heap[index] = entry
    }

    private mutating func siftDown(_ entry: Entry) {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(entry) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = entry
    }
}
