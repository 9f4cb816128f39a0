/// Tells a shell which words may come next, as the declarations of the verbs say.
struct CompletionScript {
    enum Shell: String, CaseIterable, Sendable {
        case bash
        case zsh
        case fish
    }

    let text: String

    init(for root: Verb, in shell: Shell) {
        let places = Place.all(below: root)
        switch shell {
        case .bash: text = BashCompletion(root.name, places).text
        // Zsh runs the completions of bash, once it is told to.
        case .zsh:
            text =
                "#compdef \(root.name)\nautoload -U +X bashcompinit && bashcompinit\n"
                + BashCompletion(root.name, places).text
        case .fish: text = FishCompletion(root.name, places).text
        }
    }

    /// One verb, and the verbs that lead to it.
    struct Place {
        let path: [String]
        let verb: Verb

        /// The words that may follow, but for values.
        var words: [String] {
            let options = verb.options + [.help] + (path.isEmpty ? HelpText.globalOptions : [])
            return verb.verbs.map(\.name) + options.map { "--" + $0.name }
        }

        static func all(below verb: Verb, _ path: [String] = []) -> [Place] {
            [Place(path: path, verb: verb)]
                + verb.verbs.flatMap { all(below: $0, path + [$0.name]) }
        }
    }
}

/// A function that finds the verb in the words so far, then offers what may follow it.
private struct BashCompletion {
    let text: String

    init(_ command: String, _ places: [CompletionScript.Place]) {
        let paths = places.filter { !$0.path.isEmpty }.map {
            "\"\($0.path.joined(separator: " "))\""
        }
        let words = places.map { place in
            "        \"\(place.path.joined(separator: " "))\") "
                + "words=\"\(place.words.joined(separator: " "))\" ;;"
        }
        text = """
            _\(command)() {
                local path="" word words index
                for ((index = 1; index < COMP_CWORD; index++)); do
                    word="${path:+$path }${COMP_WORDS[index]}"
                    case "$word" in
                    \(paths.joined(separator: "|"))) path="$word" ;;
                    esac
                done
                case "${COMP_WORDS[COMP_CWORD-1]}" in
            \(BashCompletion.values(places).joined(separator: "\n"))
                esac
                case "$path" in
            \(words.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
            }
            complete -o default -F _\(command) \(command)
            """
    }

    /// What follows the options that take a value, each option once.
    private static func values(_ places: [CompletionScript.Place]) -> [String] {
        var seen: [String] = []
        return places.flatMap { $0.verb.options + ($0.path.isEmpty ? HelpText.globalOptions : []) }
            .compactMap { option in
                guard case .value(_, let kind) = option.kind, !seen.contains(option.name) else {
                    return nil
                }
                seen.append(option.name)
                let current = "-- \"${COMP_WORDS[COMP_CWORD]}\""
                let reply =
                    switch kind {
                    case .text: "()"
                    case .file: "($(compgen -f \(current)))"
                    case .folder: "($(compgen -d \(current)))"
                    case .oneOf(let choices):
                        "($(compgen -W \"\(choices.joined(separator: " "))\" \(current)))"
                    }
                return "    --\(option.name)) COMPREPLY=\(reply); return ;;"
            }
    }
}

/// One `complete` line for each word that may follow a verb.
private struct FishCompletion {
    let text: String

    init(_ command: String, _ places: [CompletionScript.Place]) {
        text = places.flatMap { place in
            let condition = FishCompletion.condition(for: place)
            let verbs = place.verb.verbs.map { verb in
                "complete -c \(command) -f -n '\(condition)' -a \(verb.name) "
                    + "-d '\(FishCompletion.quoted(verb.summary))'"
            }
            let options =
                place.verb.options + [.help] + (place.path.isEmpty ? HelpText.globalOptions : [])
            return verbs
                + options.map { option in
                    "complete -c \(command) -n '\(condition)' -l \(option.name)"
                        + FishCompletion.value(of: option)
                        + " -d '\(FishCompletion.quoted(option.explanation))'"
                }
        }.joined(separator: "\n")
    }

    private static func condition(for place: CompletionScript.Place) -> String {
        if place.path.isEmpty { return "__fish_use_subcommand" }
        return place.path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
    }

    private static func value(of option: Option) -> String {
        guard case .value(_, let kind) = option.kind else { return "" }
        return switch kind {
        case .text: " -x"
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .oneOf(let choices): " -x -a '\(choices.joined(separator: " "))'"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
    }
}
