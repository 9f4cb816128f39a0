public import ClientCore
public import Foundation

extension HearthError: LocalizedError {
    /// What is wrong, for `localizedDescription`.
    public var errorDescription: String? { problem }
    /// What the caller can do about it.
    public var recoverySuggestion: String? { fix }
}
