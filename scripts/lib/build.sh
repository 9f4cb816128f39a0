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
        [[ -n $(find "$root/Sources" "$root/Package.swift" -newer "$stamp" -print -quit) ]]
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

compile() {
    printf 'building hearth (release), about 3 minutes the first time …\n' >&2
    touch "$stamp.new"
    if ! swift build --package-path "$root" -c release --product hearth >"$build_log" 2>&1; then
        cat "$build_log" >&2
        stop 70 "hearth does not build" "mend what the compiler says above"
    fi
    mv "$stamp.new" "$stamp"
}
