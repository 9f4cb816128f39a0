internal import SyncProtocol

/// The sessions of a node's clients, with what belongs to each.
///
/// A session's number has its place here in the low 20 bits, so that a lookup is one step; above them a serial number, so
/// that no number is used twice.
struct SessionTable<Entry> {
    private var entries: [(session: SessionID, entry: Entry)?] = []
    private var freePlaces: [Int] = []
    private var lastSerial: UInt64 = 0

    private static var placeBits: Int { 20 }

    /// How many sessions there are.
    private(set) var count = 0

    /// Adds a session: at most 2^20 are here at once.
    mutating func add(_ makeEntry: (SessionID) -> Entry) -> SessionID {
        if freePlaces.isEmpty {
            precondition(entries.count < 1 << Self.placeBits, "there are \(count) sessions")
            freePlaces.append(entries.count)
            entries.append(nil)
        }
        let place = freePlaces.removeLast()
        lastSerial += 1
        let session = SessionID(number: lastSerial << Self.placeBits | UInt64(place))
        entries[place] = (session, makeEntry(session))
        count += 1
        return session
    }

    /// The entry of a session; nil if the session has ended.
    subscript(session: SessionID) -> Entry? {
        get {
            let place = Self.place(of: session)
            guard place < entries.count, let found = entries[place], found.session == session
            else { return nil }
            return found.entry
        }
    }

    /// Removes a session, and returns what belonged to it.
    @discardableResult
    mutating func remove(_ session: SessionID) -> Entry? {
        guard let entry = self[session] else { return nil }
        let place = Self.place(of: session)
        entries[place] = nil
        freePlaces.append(place)
        count -= 1
        return entry
    }

    /// All of them, in the order of their places.
    var all: [Entry] { entries.compactMap { $0?.entry } }

    private static func place(of session: SessionID) -> Int {
        Int(session.number & (1 << placeBits - 1))
    }
}
