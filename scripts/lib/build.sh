# Sourced by the scripts above, after install.sh: keeps the release builds of the programs up to date.
#
# $root is the folder of the package.

readonly programs=$root/.build/release
readonly binary=$programs/hearth
# The sources that only hearth-sim has: a change in them does not make hearth stale.
readonly simulator_sources=("$root"/Sources/{ClusterSimulator,RulesOracle,SimulatorCommand})

# As old as the sources of the program at most: the linker leaves an unchanged program as it was.
stamp_of() { printf '%s/.build/%s-release.stamp' "$root" "$1"; } # program

# Folders count too: their time tells that a file was taken away.
is_stale() { # program
    local stamp folder skipped=()
    stamp=$(stamp_of "$1")
    [[ -x $programs/$1 && -e $stamp ]] || return 0
    if [[ $1 == hearth ]]; then
        for folder in "${simulator_sources[@]}"; do skipped+=(-path "$folder" -prune -o); done
    fi
    [[ -n $(find "$root/Sources" "$root/Package.swift" "$root/scripts/lib/build.sh" \
        "${skipped[@]}" -newer "$stamp" -print -quit) ]]
}

# Builds the release of a program if it is stale; only one of several callers at once does.
build_release() { # program
    is_stale "$1" || return 0
    mkdir -p "$root/.build"
    local lock
    exec {lock}>"$root/.build/hearth-release.lock"
    flock "$lock"
    if is_stale "$1"; then
        require_packages "${build_packages[@]}"
        require_swift
        compile "$1"
    fi
    # The program that follows must not inherit the lock.
    exec {lock}>&-
}

# With Swift's own libraries in it a program starts in half of the time, does more in as much, and runs where there is no
# Swift. Debug information would make the build a fifth longer; a crash names its functions without. Marks are for tests.
release_build() { # arguments of swift build
    env -u HEARTH_MARKS swift build --package-path "$root" -c release --static-swift-stdlib -Xswiftc -gnone "$@"
}

compile() { # program
    local stamp log=$root/.build/$1-release.log
    stamp=$(stamp_of "$1")
    printf 'building %s (release), about 3 minutes the first time …\n' "$1" >&2
    touch "$stamp.new"
    if ! release_build --product "$1" >"$log" 2>&1; then
        cat "$log" >&2
        stop 70 "$1 does not build" "mend what the compiler says above"
    fi
    mv "$stamp.new" "$stamp"
}

# Whether hearth starts hearth-sim for these words.
needs_simulator() { # words of the command line
    case "${1-} ${2-}" in
    sim\ * | soak\ * | 'bench sim' | 'help sim' | 'help soak') return 0 ;;
    esac
    return 1
}

# Has a crash print the calls that led to it: Swift's libraries look for the program that does so beside themselves, which is
# nowhere if they are part of another one.
name_backtracer() {
    [[ -z ${SWIFT_BACKTRACE-} ]] || return 0
    local swift backtracer
    swift=$(command -v swift) || return 0
    backtracer=$(dirname "$(dirname "$(readlink -f "$swift")")")/libexec/swift/linux/swift-backtrace-static
    [[ ! -x $backtracer ]] || export SWIFT_BACKTRACE="enable=yes,swift-backtrace=$backtracer"
}
