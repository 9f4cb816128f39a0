# Sourced by scripts/package: builds the programs, and separates them from their debug symbols.

readonly products=(hearth hearth-sim)
# The most bytes of each program that is released. Hosts of nodes need the first one alone.
declare -rA size_limits=([hearth]=32000000 [hearth-sim]=36000000)

# Puts them into $programs_folder. Paths of this machine become relative, so that they change nothing in the programs.
# They export only symbols that shared libraries need: the names of all public Swift functions would take 0.8 MB. Each
# function has a section of its own, so that the linker omits unused functions, and equal ones but one.
build_programs() {
    local name options=() log=$work/build.log
    [[ $with_symbols ]] || options=(-Xswiftc -gnone)
    for name in "${products[@]}"; do
        step "$name (release, several minutes; log: $log)"
        env -u HEARTH_MARKS swift build --package-path "$root" --scratch-path "$work/build" -c release --product "$name" \
            --static-swift-stdlib -Xswiftc -L"$archives" -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic \
            -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=safe \
            -Xswiftc -file-prefix-map -Xswiftc "$root=hearth" -Xcc -ffile-prefix-map="$root=hearth" "${options[@]}" >"$log" 2>&1 ||
            stop 70 "$name does not build" "read $log"
        separate_symbols "$name"
        check_program "$programs_folder/$name"
    done
}


separate_symbols() { # program
    local built=$work/build/release/$1 program=$programs_folder/$1
    mkdir -p "$programs_folder"
    objcopy --only-keep-debug --compress-debug-sections "$built" "$program.debug"
    strip --strip-unneeded -o "$program" "$built"
    (cd "$programs_folder" && objcopy --add-gnu-debuglink="$1.debug" "$1")
}

# A program that runs on any Debian since 12 needs only the C library, and everything in it uses one allocator.
check_program() { # program
    local size needed symbols limit=${size_limits[$(basename "$1")]}
    size=$(stat -c %s "$1")
    ((size <= limit)) || stop 70 "$1 has $size bytes, and may have $limit" 'look for what was linked into it'
    needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    ! grep -vE '^(libc|libm|libgcc_s|ld-linux-x86-64)\.so' <<<"$needed" ||
        stop 70 "$1 needs these shared libraries" 'add their archives to scripts/packaging/static-libraries.sh'
    symbols=$(nm -D --defined-only "$1")
    for name in malloc free; do
        grep -qE " T $name\$" <<<"$symbols" ||
            stop 70 "$1 does not export $name, so that two allocators would meet" 'link the objects of jemalloc, not its archive'
    done
    printf '%s: %d bytes, needs %s\n' "$(basename "$1")" "$size" "$(echo $needed)"
}
