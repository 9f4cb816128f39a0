# Sourced by scripts/package: collects static archives of all C and C++ libraries in $archives, where the linker looks first.
#
# Debian has most of them. It has no archive of simdjson, and its archive of libzmq needs Kerberos, PGM and NORM, which
# nodes do not use. Both are compiled from Debian's source packages.

readonly archives=$work/static
readonly library_sources=$work/library-sources
# Debian packages with archives that become part of the programs, as name:archive.
readonly debian_archives=(
    libsodium-dev:libsodium.a libevent-dev:libevent.a libsqlite3-dev:libsqlite3.a libssl-dev:libssl.a libssl-dev:libcrypto.a
    libedit-dev:libedit.a libbsd-dev:libbsd.a libmd-dev:libmd.a libncurses-dev:libtinfo.a libjemalloc-dev:libjemalloc_pic.a
)

collect_archives() {
    [[ ! -e $archives/complete ]] || return 0
    step 'static libraries'
    rm -rf "$archives" && mkdir -p "$archives/debian"
    : >"$archives/versions"
    local entry
    for entry in "${debian_archives[@]}"; do copy_archive "${entry%%:*}" "${entry#*:}"; done
    cp "$(g++ -print-file-name=libstdc++.a)" "$archives/debian"
    record_library libstdc++-12 "$(dpkg-query -W -f '${Version}' g++)"
    compile_zeromq
    compile_simdjson
    join_jemalloc
    write_linker_files
    touch "$archives/complete"
}

copy_archive() { # Debian package, archive
    local path
    path=$(dpkg-query -L "$1" | grep "/$2\$") || stop 70 "$1 has no $2" "use Debian 12, whose $1 has it"
    cp "$path" "$archives/debian"
    record_library "${1%-dev}" "$(dpkg-query -W -f '${Version}' "$1")"
}

# The list of all components reads these lines.
record_library() { # Debian package, version
    grep -qx "$1 $2" "$archives/versions" || printf '%s %s\n' "$1" "$2" >>"$archives/versions"
}

# Without Kerberos, PGM and NORM; the keys of nodes need libsodium alone.
compile_zeromq() {
    local folder log=$work/zeromq.log
    folder=$(debian_source zeromq3)
    step 'libzmq (about a minute of CPU time)'
    (
        cd "$folder"
        ./autogen.sh
        ./configure --disable-shared --enable-static --with-libsodium --without-libgssapi_krb5 --without-pgm \
            --without-norm --disable-libbsd --disable-libunwind --disable-perf --disable-curve-keygen --without-docs \
            --disable-Werror CXXFLAGS="-O2 -g0 -fPIC -ffile-prefix-map=$PWD=zeromq3"
        make -j"$(nproc)" src/libzmq.la
    ) >"$log" 2>&1 || stop 70 'libzmq does not build' "read $log"
    cp "$folder/src/.libs/libzmq.a" "$archives/debian"
}

compile_simdjson() {
    local folder
    folder=$(debian_source simdjson)
    step 'simdjson'
    (
        cd "$folder/singleheader"
        g++ -std=c++17 -O3 -fPIC -DNDEBUG -ffile-prefix-map="$PWD=simdjson" -c simdjson.cpp -o "$work/simdjson.o"
    )
    ar rcsD "$archives/libsimdjson.a" "$work/simdjson.o"
}

# The linker hides the symbols of archives, so that the C library would not use jemalloc's malloc: strdup would allocate in one
# allocator, and free would release in the other. A plain object keeps its symbols visible. The operators of C++ are those of
# libstdc++, which call malloc.
join_jemalloc() {
    local members=$work/jemalloc
    rm -rf "$members" && mkdir "$members"
    (cd "$members" && ar x "$archives/debian/libjemalloc_pic.a" && rm jemalloc_cpp*.o && ld -r -o "$archives/jemalloc.o" ./*.o)
}

# An archive may be a text for the linker, which names the files to link for it.
write_linker_files() {
    local debian=$archives/debian name
    for name in event sqlite3 ssl crypto stdc++; do
        printf 'INPUT(%s)\n' "$debian/lib$name.a" >"$archives/lib$name.a"
    done
    printf 'GROUP(%s)\n' "$debian/libzmq.a $debian/libsodium.a $debian/libstdc++.a" >"$archives/libzmq.a"
    printf 'GROUP(%s)\n' "$debian/libedit.a $debian/libbsd.a $debian/libmd.a $debian/libtinfo.a" >"$archives/libedit.a"
    printf 'INPUT(%s)\n' "$archives/jemalloc.o" >"$archives/libjemalloc.a"
}

# Downloads a source package from the machine's own mirrors, unpacks it and prints its folder.
debian_source() { # source package
    local lists=$library_sources/lists options folder
    mkdir -p "$lists/partial" "$library_sources/parts" "$library_sources/$1"
    options=(-q -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$library_sources/parts" -o "Dir::State::Lists=$lists"
        -o APT::Sandbox::User=root)
    if [[ ! -e $library_sources/updated ]]; then
        step "lists of Debian's source packages" >&2
        add_source_types
        apt-get "${options[@]}" update >"$work/apt.log" 2>&1 ||
            stop $unavailable 'apt-get could not read the lists of source packages' "read $work/apt.log"
        touch "$library_sources/updated"
    fi
    (cd "$library_sources/$1" && rm -rf "$1"-*/ && apt-get "${options[@]}" source "$1") >>"$work/apt.log" 2>&1 ||
        stop $unavailable "apt-get could not download the source package $1" "read $work/apt.log"
    folder=$(echo "$library_sources/$1"/*/)
    record_library "$1" "$(sed -n 's/^Version: //p' "$library_sources/$1"/*.dsc)"
    printf '%s\n' "${folder%/}"
}

# A copy of the Debian sources of this machine that lists source packages, too.
add_source_types() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/{debian,ubuntu}*.{list,sources}; do
        [[ -e $file ]] || continue
        sed -E 's/^Types: *deb *$/Types: deb-src/; s/^deb /deb-src /' "$file" >"$library_sources/parts/$(basename "$file")"
    done
}
