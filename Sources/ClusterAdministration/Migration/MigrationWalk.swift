internal import DataTree

/// Decides which piece of a tree a migration reads next.
///
/// The children of a location are read in pages, in key order. A child that is too large for a page is read like the
/// location itself, page by page. The size of the pages follows the size of the answers.
struct MigrationWalk {
    /// The next read.
    enum Step: Equatable {
        /// The next children of a location, in key order.
        case page(Path, after: Key?, limit: Int)
        /// The first key after another one, because its child alone is too large for a page.
        case key(Path, after: Key?)
        /// The value of a location that has no children.
        case value(Path)
        /// The priority of a location whose children have been read.
        case priority(Path)
    }

    /// The keys of a location between two ends; a missing end means all keys on that side.
    struct KeyRange: Equatable {
        let path: Path
        let after: Key?
        var through: Key?
        /// An end that is not a part of the range, instead of `through`.
        var before: Key?
    }

    /// The location whose children come next, and the last key that has been read there.
    struct Cursor: Equatable {
        var path: Path
        var after: Key?
    }

    private enum Phase: Equatable {
        case children
        case key
        case value
        case priority
    }

    private struct Frame: Equatable {
        let path: Path
        var after: Key?
        var phase = Phase.children
    }

    /// The size of an answer, in bytes, that pages aim at.
    static let pageBytes = 512 << 10
    private static let largestPage = 5_000

    private var frames: [Frame]
    private var pageLimit = 100

    /// A walk through the value at a path.
    init(of path: Path) { frames = [Frame(path: path)] }

    /// The rest of a walk through the value at a path.
    init(of path: Path, from cursor: Cursor) {
        frames = (path.count...max(path.count, cursor.path.count)).map { count in
            let isLast = count >= cursor.path.count
            return Frame(
                path: Path(Array(cursor.path.keys.prefix(count))),
                after: isLast ? cursor.after : cursor.path.keys[count])
        }
    }

    /// The next read; nil at the end of the walk.
    var step: Step? {
        guard let frame = frames.last else { return nil }
        switch frame.phase {
        case .children: return .page(frame.path, after: frame.after, limit: pageLimit)
        case .key: return .key(frame.path, after: frame.after)
        case .value: return .value(frame.path)
        case .priority: return .priority(frame.path)
        }
    }

    /// The place at which an interrupted walk resumes; nil at the end.
    var cursor: Cursor? { frames.last.map { Cursor(path: $0.path, after: $0.after) } }

    /// Records a page.
    ///
    /// - Parameter bytes: The size of the answer.
    /// - Returns: The range of keys that the page covers.
    mutating func readPage(of count: Int, endingAt last: Key?, bytes: Int) -> KeyRange {
        let frame = frames[frames.count - 1]
        let isLast = count < pageLimit
        frames[frames.count - 1].after = last ?? frame.after
        if isLast {
            let isEmpty = frame.after == nil && count == 0
            frames[frames.count - 1].phase = isEmpty ? .value : .priority
        }
        adaptLimit(to: count, bytes)
        return KeyRange(path: frame.path, after: frame.after, through: isLast ? nil : last)
    }

    /// Records that a page was too large to read.
    mutating func pageWasTooLarge() {
        if pageLimit == 1 {
            frames[frames.count - 1].phase = .key
        } else {
            pageLimit = max(1, pageLimit / 8)
        }
    }

    /// Records the key of a child that is too large for a page, which is read next; nil if no child remains.
    ///
    /// - Returns: The range before it, in which there are no keys.
    mutating func readKey(_ key: Key?) -> KeyRange {
        let frame = frames[frames.count - 1]
        guard let key else {
            frames[frames.count - 1].phase = .priority
            return KeyRange(path: frame.path, after: frame.after)
        }
        frames[frames.count - 1].phase = .children
        frames[frames.count - 1].after = key
        frames.append(Frame(path: frame.path.appending(key)))
        return KeyRange(path: frame.path, after: frame.after, before: key)
    }

    /// Records the value or the priority of a location, with which its walk ends.
    mutating func readEnd() { frames.removeLast() }

    private mutating func adaptLimit(to count: Int, _ bytes: Int) {
        guard count > 0 else { return }
        let fitting = MigrationWalk.pageBytes / max(1, bytes / count)
        pageLimit = max(1, min(fitting, pageLimit * 4, MigrationWalk.largestPage))
    }
}
