public import ClientCore
public import Foundation

extension HearthError: LocalizedError {
    /// The problem, for `localizedDescription`.
    public var errorDescription: String? { problem }
    /// The fix for the caller.
    public var recoverySuggestion: String? { fix }
}
