/// A script with which a shell has `hearth complete` find the words that may come next.
///
/// The scripts do not list the verbs, so that they stay correct when the program changes.
package struct CompletionScript {
    package enum Shell: String, CaseIterable, Sendable {
        case bash
        case zsh
        case fish
    }

    package let text: String

    package init(for command: String, in shell: Shell) {
        let template =
            switch shell {
            case .bash: CompletionScript.bash
            case .zsh: CompletionScript.zsh
            case .fish: CompletionScript.fish
            }
        text = template.split(separator: "COMMAND", omittingEmptySubsequences: false)
            .joined(separator: command)
    }

    /// Bash splits words at `=` and `:` as well; what stands together on the line is one word here, of
    /// which bash replaces the part behind the last of these.
    private static let bash = #"""
        _COMMAND() {
            local rest="${COMP_LINE:0:COMP_POINT}" text word part current prefix words=() index
            for ((index = 0; index <= COMP_CWORD; index++)); do
                text="${rest#"${rest%%[![:blank:]]*}"}"
                part="${COMP_WORDS[index]}"
                ((index == COMP_CWORD)) && part="$text"
                if ((index > 0)) && [[ $text == "$rest" ]]; then
                    words[${#words[@]}-1]+="$part"
                else
                    words+=("$part")
                fi
                rest="${text#"$part"}"
            done
            current="${words[${#words[@]}-1]}"
            words=("${words[@]//[\'\"\\]/}")
            prefix="${current%"$part"}"
            [[ $part == [=:] ]] && prefix="$current"
            COMPREPLY=()
            while IFS= read -r word; do
                case "$word" in
                :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$part") ;;
                :folders) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$part") ;;
                *)
                    word="${word%%$'\t'*}"
                    [[ $word == */ || $word == *= ]] && compopt -o nospace
                    [[ $current == [\'\"]* ]] || printf -v word %q "$word"
                    COMPREPLY+=("${word#"${prefix#[\'\"]}"}")
                    ;;
                esac
            done < <("${1/#\~\//$HOME/}" complete -- "${words[@]:1}" 2>/dev/null)
        }
        complete -F _COMMAND COMMAND
        """#

    private static let zsh = #"""
        #compdef COMMAND
        _COMMAND() {
            local -a found
            found=("${(@f)$("${(Q)words[1]/#\~\//$HOME/}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
            found=("${(@)found%%$'\t'*}")
            case "$found[1]" in
            :files) _files ;;
            :folders) _files -/ ;;
            '') return 1 ;;
            *)
                compadd -- "${(@)found:#*[/=]}"
                compadd -S '' -- "${(@M)found:#*[/=]}"
                ;;
            esac
        }
        if [[ $funcstack[1] == _COMMAND ]]; then _COMMAND "$@"; else compdef _COMMAND COMMAND; fi
        """#

    private static let fish = #"""
        function __COMMAND_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            for word in ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
                switch $word
                    case :files
                        __fish_complete_path $current
                    case :folders
                        __fish_complete_directories $current
                    case '*'
                        echo $word
                end
            end
        end
        complete -c COMMAND -f -a '(__COMMAND_complete)'
        """#
}
