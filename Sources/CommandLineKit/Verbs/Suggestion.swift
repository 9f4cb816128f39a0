internal import Spelling

/// Finds the word that a mistyped one probably means.
enum Suggestion {
    /// The nearest of `candidates`, or one that begins with the word; nil if there is neither.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        if let near = nearestWord(to: word, among: candidates) { return near }
        let isWorthCompleting = word.drop { $0 == "-" }.count >= 2
        return isWorthCompleting ? candidates.first { $0.hasPrefix(word) } : nil
    }
}
