# Sourced by the scripts above, after install.sh: keeps the release binary up to date.
#
# $root is the folder of the package.

readonly binary=$root/.build/release/hearth
# As old as the sources of the binary at most: the linker leaves an unchanged binary as it was.
readonly stamp=$root/.build/hearth-release.stamp
readonly build_log=$root/.build/hearth-release.log

# Folders count too: their time tells that a file was taken away.
is_stale() {
    [[ ! -x $binary || ! -e $stamp ]] ||
        [[ -n $(find "$root/Sources" "$root/Package.swift" "$root/scripts/lib/build.sh" \
            -newer "$stamp" -print -quit) ]]
}

# Builds the release binary if it is stale; only one of several callers at once does.
build_release() {
    is_stale || return 0
    mkdir -p "$root/.build"
    local lock
    exec {lock}>"$root/.build/hearth-release.lock"
    flock "$lock"
    if is_stale; then
        require_packages "${build_packages[@]}"
        require_swift
        compile
    fi
    # The program that follows must not inherit the lock.
    exec {lock}>&-
}

# With Swift's own libraries in it the program starts in half of the time, does more in as much, and runs where there is no
# Swift.
compile() {
    printf 'building hearth (release), about 3 minutes the first time …\n' >&2
    touch "$stamp.new"
    if ! swift build --package-path "$root" -c release --product hearth --static-swift-stdlib \
        >"$build_log" 2>&1; then
        cat "$build_log" >&2
        stop 70 "hearth does not build" "mend what the compiler says above"
    fi
    mv "$stamp.new" "$stamp"
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
