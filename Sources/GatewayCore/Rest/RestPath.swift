internal import DataTree
internal import HTTPText

extension RequestTarget {
    /// The location that a REST request names, `/rooms/a.json` or `/rooms/a/.json`; nil if the path does not end in `.json`.
    ///
    /// Each part is decoded for itself, so a `%2F` is part of a key, which no key may have. The last part may be `.priority`.
    func location() throws(RestFailure) -> Path? {
        var segments: [String]
        do throws(TargetError) {
            segments = try self.segments()
        } catch {
            throw RestFailure(error)
        }
        guard let last = segments.popLast(), last.hasSuffix(".json") else { return nil }
        let name = String(last.dropLast(".json".count))
        if !name.isEmpty { segments.append(name) }
        if segments.first == ".settings" { throw .settings }
        do throws(DataError) {
            return try Path(segments: segments)
        } catch {
            throw .path(error)
        }
    }
}

extension Path {
    /// The location of keys that a client sent one by one.
    fileprivate init(segments: [String]) throws(DataError) {
        var keys: [Key] = []
        for (index, segment) in segments.enumerated() {
            let isPriority = segment == ".priority" && index == segments.count - 1
            keys.append(isPriority ? .priority : try Key(segment))
        }
        self.init(keys)
        if let problem = limitExceeded {
            throw DataError(problem: "invalid path \(self): \(problem)", fix: "use a shorter path")
        }
    }
}

extension RestFailure {
    fileprivate static let settings = RestFailure(
        status: 404, problem: "Hearth has no settings at this address.",
        fix:
            "the rules are at \(RulesDocumentRequest.path); see README.md for what a node's configuration can say"
    )
}
