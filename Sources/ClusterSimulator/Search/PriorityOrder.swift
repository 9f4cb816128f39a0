import ReplicaCore

/// Orders events by the priorities of the processes to which they happen.
///
/// A priority is drawn for each process when it first has an event. The process with the highest
/// priority among those with events takes its next event. At each of `depth - 1` drawn steps, the
/// process about to take it falls below all others. A bug that shows whenever `depth` steps have
/// one order is found, in a run of `k` steps of `n` processes, with a probability of at least `1 /
/// (n · k^(depth - 1))`.
///
/// Time still limits the order: no event comes before its time, or more than a window after it. A
/// process with endless timers can therefore not block the others. Once all faults end, time alone
/// decides.
///
/// Source: Burckhardt, Kothari, Musuvathi and Nagarakatte, *A Randomized Scheduler with Probabilistic Guarantees of
/// Finding Bugs*, ASPLOS 2010.
struct PriorityOrder {
    private struct Process {
        var priority: UInt64
        var events = EventQueue()
    }

    private var processes: [Process] = []
    /// Looked up alone: its order reaches nothing.
    private var places: [VirtualProcess: Int] = [:]
    private var random: SplitMix64
    private var window: Microseconds
    /// The steps at which a process falls, descending: the next one is last.
    private var changes: [Int]
    private var now: Microseconds = 0
    /// The events before all faults end.
    private(set) var stepCount = 0
    private var isByTime = false

    /// How many processes there were.
    var processCount: Int { processes.count }

    /// An order without events.
    ///
    /// - Parameter steps: About how many steps a run has.
    init(depth: Int, window: Microseconds, steps: Int, seed: UInt64) {
        self.window = window
        var random = SplitMix64(seed: seed, part: 7)
        changes = (1..<max(1, depth)).map { _ in random.index(below: max(1, steps)) + 1 }
            .sorted(by: >)
        self.random = random
    }

    mutating func schedule(_ event: Event, at time: Microseconds) {
        let process = VirtualProcess(of: event)
        let place = places[process] ?? add(process)
        processes[place].events.schedule(event, at: time)
    }

    private mutating func add(_ process: VirtualProcess) -> Int {
        // Above all priorities to which processes fall.
        processes.append(Process(priority: random.next() | 1 << 32))
        places[process] = processes.count - 1
        return processes.count - 1
    }

    mutating func next() -> (time: Microseconds, event: Event)? {
        if !isByTime { stepCount += 1 }
        while changes.last == stepCount, let place = nextPlace {
            // Each falls below those that fell before.
            processes[place].priority = UInt64(changes.count)
            changes.removeLast()
        }
        guard let place = nextPlace, let (time, event) = processes[place].events.next() else {
            return nil
        }
        if case .quiescence = event { endPriorities() }
        now = max(now, time)
        return (now, event)
    }

    /// When the next event happens, unless its process falls before.
    var nextTime: Microseconds? {
        nextPlace.flatMap { processes[$0].events.nextTime }.map { max(now, $0) }
    }

    private mutating func endPriorities() {
        isByTime = true
        changes.removeAll()
        window = 0
    }

    /// The process with the highest priority among those whose next event may happen.
    private var nextPlace: Int? {
        guard let earliest = processes.lazy.compactMap(\.events.nextTime).min() else { return nil }
        var chosen: Int?
        for (place, process) in processes.enumerated() {
            guard let time = process.events.nextTime, time <= earliest + window else { continue }
            if let chosen, processes[chosen].priority >= process.priority { continue }
            chosen = place
        }
        return chosen
    }
}

/// A sequential process of a run, independent of the others: a node, a disk, a direction of a
/// connection, a client.
enum VirtualProcess: Hashable {
    case node(Int)
    case disk(Int)
    case duplicateNode(Int)
    case publication(from: Int, to: Int)
    case question(from: Int, to: Int)
    case answer(from: Int, to: Int)
    case upstream(connection: Int)
    case downstream(connection: Int)
    case client(Int)
    /// The script, and the end of the scenario.
    case script

    /// The process to which an event happens.
    init(of event: Event) {
        self =
            switch event {
            case .turn(let node, _), .tick(let node, _), .interrupted(let node, _): .node(node)
            case .diskWorked(let node, _): .disk(node)
            case .duplicateTurns(let index): .duplicateNode(index)
            case .published(let frame): .publication(from: frame.from, to: frame.to)
            case .asked(let frame): .question(from: frame.from, to: frame.to)
            case .answered(let frame): .answer(from: frame.from, to: frame.to)
            case .requested(let connection, _), .nodeLost(let connection):
                .upstream(connection: connection)
            case .replied(let connection, _), .clientLost(let connection):
                .downstream(connection: connection)
            case .clientActs(let client), .clientGivesUp(let client, _), .clientMoves(let client),
                .clientTurns(let client), .clientRecalls(let client):
                .client(client)
            case .scripted, .flapped, .quiescence, .quiescenceChecked: .script
            }
    }
}
