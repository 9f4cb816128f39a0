public import DataTree
public import Foundation

extension ServerValue {
    /// The accepting node's wall time in milliseconds since 1970, as a value to be written.
    public static func timestamp() -> Value { .deferred(.timestamp) }

    /// The number at the place before the write plus this one, as a value to be written.
    ///
    /// It is done once, even when the connection is lost before the answer.
    public static func increment(_ delta: Int) -> Value {
        .deferred(.increment(.integer(Int64(delta))))
    }

    /// The number at the place before the write plus this one, as a value to be written.
    public static func increment(_ delta: Double) -> Value { .deferred(.increment(.double(delta))) }

    /// The number at the place before the write plus this one, as a value to be written.
    public static func increment(_ delta: NSNumber) -> Value {
        Int64(exactly: delta).map { .deferred(.increment(.integer($0))) }
            ?? increment(delta.doubleValue)
    }
}
