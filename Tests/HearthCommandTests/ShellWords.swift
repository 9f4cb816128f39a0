/// Splits an example as a shell does, as far as examples go: at spaces, but not within quotes; what
/// a pipe or a redirection feeds is left out.
enum ShellWords {
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isBegun = false
        for character in line.split(separator: " | ").last ?? "" {
            if character == "'" {
                isQuoted.toggle()
                isBegun = true
            } else if character == " ", !isQuoted {
                if isBegun { words.append(word) }
                word = ""
                isBegun = false
            } else {
                word.append(character)
                isBegun = true
            }
        }
        if isBegun { words.append(word) }
        return Array(words.prefix { $0 != "<" && $0 != ">" })
    }
}
