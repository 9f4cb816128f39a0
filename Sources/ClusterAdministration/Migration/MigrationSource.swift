internal import CommandLineKit
package import DataTree

/// The side of a migration that is read: a live database, or the content of an export file.
package enum MigrationSource {
    case database(SourceReader)
    /// The value at the migrated location.
    case export(Value, at: Path)

    func page(
        of path: Path, after key: Key?, limit: Int
    ) throws(CommandError) -> SourceReader.Answer {
        switch self {
        case .database(let reader): return try reader.page(of: path, after: key, limit: limit)
        case .export(let value, let base):
            let page = value[path.relative(to: base)].children.page(after: key, limit: limit)
            let bytes = Value(page).size
            return bytes > SourceReader.pageLimit ? .tooLarge : .value(Value(page), bytes: bytes)
        }
    }

    func key(of path: Path, after key: Key?) throws(CommandError) -> Key? {
        switch self {
        case .database(let reader): return try reader.key(of: path, after: key)
        case .export(let value, let base):
            let children = value[path.relative(to: base)].children
            return children.page(after: key, limit: 1).first?.key
        }
    }

    func value(at path: Path) throws(CommandError) -> Value {
        switch self {
        case .database(let reader):
            guard case .value(let value, _) = try reader.value(at: path) else {
                throw CommandError(
                    .badData, "the value of the source at \(path) is larger than 256 MB",
                    fix: "migrate its children one by one with --path")
            }
            return value
        case .export(let value, let base): return value[path.relative(to: base)]
        }
    }
}

extension Children {
    /// The first children behind a key.
    fileprivate func page(after key: Key?, limit: Int) -> Children {
        let start = key ?? first?.key
        guard let start else { return Children() }
        var page = Children()
        for (name, child) in entries(from: start) where name != key {
            page[name] = child
            if page.count == limit { break }
        }
        return page
    }
}
