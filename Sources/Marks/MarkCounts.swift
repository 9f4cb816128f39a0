#if HEARTH_MARKS
    internal import CMarks
#endif

/// How often each mark was reached.
public struct MarkCounts: Equatable, Sendable {
    private var counts = [UInt32](repeating: 0, count: Mark.allCases.count)

    /// Nothing was reached.
    public init() {}

    /// How often a mark was reached.
    public subscript(mark: Mark) -> UInt32 {
        get { counts[mark.rawValue] }
        set { counts[mark.rawValue] = newValue }
    }

    /// The marks that were reached, in their order.
    public var reached: [Mark] { Mark.allCases.filter { self[$0] > 0 } }

    /// Whether this build counts marks.
    public static var isOn: Bool {
        #if HEARTH_MARKS
            true
        #else
            false
        #endif
    }

    /// Counts the marks that this thread reaches in a body of work. Bodies may contain others, whose marks count there alone.
    public static func counting<Result>(_ body: () -> Result) -> (result: Result, marks: MarkCounts)
    {
        #if HEARTH_MARKS
            var marks = MarkCounts()
            let result = marks.counts.withUnsafeMutableBufferPointer { buffer in
                let outer = hearth_mark_counts()
                hearth_count_marks(buffer.baseAddress)
                defer { hearth_count_marks(outer) }
                return body()
            }
            return (result, marks)
        #else
            return (body(), MarkCounts())
        #endif
    }
}
