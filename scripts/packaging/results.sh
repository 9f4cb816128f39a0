# Sourced by scripts/package: the other kinds of packages, the list of components and the sums.

source "$root/scripts/packaging/debian.sh"

packaging_tool() { # script in this folder, its arguments
    /usr/bin/python3 -B "$root/scripts/packaging/$1" "${@:2}"
}

# For /usr/local: tar -C /usr/local --strip-components 1 -xf FILE
make_tar() {
    local name=hearth-$version-linux-x86_64 folder=$work/tar
    rm -rf "$folder" && mkdir -p "$folder/$name"
    local tree
    for tree in "$trees"/{hearth,hearth-sim}/usr; do
        if [[ -e $tree ]]; then cp -r "$tree/." "$folder/$name"; fi
    done
    # zsh looks there below /usr/local, where the unit finds the program, too.
    mv "$folder/$name/share/zsh/vendor-completions" "$folder/$name/share/zsh/site-functions"
    cp "$root"/configs/*.{service,timer} "$folder/$name/lib/systemd/system/"
    cp "$root/LICENSE" "$folder/$name/share/doc/hearth/"
    tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
        -cf - "$name" | xz >"$out/$name.tar.xz"
}

make_image() {
    packaging_tool image.py --program "$trees/hearth/usr/bin/hearth" --version "$version" \
        --out "$out/hearth-$version-image.tar"
}

make_wheel() {
    packaging_tool wheel.py --program "$trees/hearth/usr/bin/hearth" --version "$version" --license "$root/LICENSE" \
        --out "$out"
}

# Programs that were built elsewhere have the libraries of that build.
list_components() {
    step 'list of components'
    local versions=$(dirname "$programs_folder")/static/versions
    [[ -e $versions ]] || stop 66 "$versions, the list of linked libraries, is missing" 'leave out --programs'
    packaging_tool components.py --versions "$versions" --version "$version" --out "$out/hearth-$version.spdx.json" \
        "$trees"/*/usr/bin/*
}

sum_results() {
    step 'sums'
    (cd "$out" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\0' | sort -z | xargs -0 sha256sum) >"$work/sums"
    mv "$work/sums" "$out/SHA256SUMS"
    rm -f "$out/SHA256SUMS.minisig"
    if [[ $minisign ]]; then
        minisign -S -s "$minisign" -m "$out/SHA256SUMS" -t "Hearth $version"
    fi
}

# Names each file that is in one of the two builds only, or different.
compare_results() { # folder with the results of another build
    step "differences from $1"
    packaging_tool compare.py "$1" "$out"
}
