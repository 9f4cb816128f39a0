internal import DataTree
internal import HTTPText
internal import JSONText

/// The meaning of an event in a source's stream.
///
/// Events name the locations that have changed. A migration reads their values by requests of its own, because
/// events contain no priorities.
enum SourceEvent: Equatable {
    /// The values at these locations may have changed; they are relative to the location of the stream.
    case changed([Path])
    /// The source will send no more events.
    case ended(reason: String)
    case nothing

    /// - Parameter event: An event as the source sent it.
    init(_ event: EventStreamReader.Event, by reader: JSONReader) {
        switch event.name {
        case "put": self = .changed([SourceEvent.location(of: event, reader) ?? .root])
        case "patch": self = .changed(SourceEvent.locations(of: event, reader) ?? [.root])
        case "cancel": self = .ended(reason: "the rules of the source do not permit to read it")
        case "auth_revoked": self = .ended(reason: "the credential for the source has expired")
        default: self = .nothing
        }
    }

    /// The path that an event names; nil for an unreadable one.
    private static func location(
        of event: EventStreamReader.Event, _ reader: JSONReader
    ) -> Path? {
        if event.isCut { return locationBeforeData(in: event.data, reader) }
        let text = try? reader.read(event.data) { $0["path"]?.string }
        return text.flatMap(\.self).flatMap { try? Path($0) }
    }

    /// The paths below which a `patch` replaces values.
    private static func locations(
        of event: EventStreamReader.Event, _ reader: JSONReader
    ) -> [Path]? {
        guard let base = location(of: event, reader) else { return nil }
        if event.isCut { return [base] }
        let names = try? reader.read(event.data) { node in
            node["data"]?.members.map { members in members.map(\.name) }
        }
        guard let names = names.flatMap(\.self) else { return [base] }
        return names.map { name in (try? Path(name)).map(base.appending) ?? base }
    }

    /// The path in the beginning of a large event: `{"path":"/a/b","data":…`.
    private static func locationBeforeData(in bytes: [UInt8], _ reader: JSONReader) -> Path? {
        guard let end = bytes.firstRange(of: Array(#","data":"#.utf8)) else { return nil }
        let head = Array(bytes[..<end.lowerBound]) + [UInt8(ascii: "}")]
        let text = try? reader.read(head) { $0["path"]?.string }
        return text.flatMap(\.self).flatMap { try? Path($0) }
    }
}
