# Sourced by scripts/package: puts the files of each Debian package into a folder of its own, $trees/PACKAGE.

readonly trees=$work/trees

make_tree() {
    step 'files of the packages'
    rm -rf "$trees"
    place_hearth
    local name
    for name in hearth hearth-sim; do
        [[ -e $programs_folder/$name ]] || continue
        place "$programs_folder/$name" "$name/usr/bin/$name" 755
        place_documents "$name"
        if [[ -s $programs_folder/$name.debug && $with_symbols ]]; then
            place "$programs_folder/$name.debug" "$name-dbgsym/usr/lib/debug/usr/bin/$name.debug"
            place_documents "$name-dbgsym"
        fi
    done
    [[ ! -e $programs_folder/hearth-sim ]] || place_scenarios
}

place() { # file, path below $trees, mode
    install -D -m "${3:-644}" "$1" "$trees/$2"
}

place_hearth() {
    local share=$trees/hearth/usr/share program=$programs_folder/hearth
    mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
    "$program" man | gzip -9n >"$share/man/man1/hearth.1.gz"
    "$program" --generate-completion-script bash >"$share/bash-completion/completions/hearth"
    "$program" --generate-completion-script zsh >"$share/zsh/vendor-completions/_hearth"
    "$program" --generate-completion-script fish >"$share/fish/vendor_completions.d/hearth.fish"
    mkdir -p "$trees/hearth/usr/lib/systemd/system"
    local unit
    for unit in "$root"/configs/*.{service,timer}; do
        sed 's,/usr/local/bin,/usr/bin,' "$unit" >"$trees/hearth/usr/lib/systemd/system/$(basename "$unit")"
    done
    local example
    for example in "$root"/configs/{,monitoring/}*.{json,json5,yml,yaml}; do
        if [[ -e $example ]]; then place "$example" "hearth/usr/share/doc/hearth/examples/${example#"$root"/configs/}"; fi
    done
    mkdir -p -m 0750 "$trees/hearth/etc/hearth"
    mkdir -p "$trees/hearth/var/lib"
    mkdir -m 0700 "$trees/hearth/var/lib/hearth"
}

place_documents() { # package
    local folder=$trees/$1/usr/share/doc/$1
    mkdir -p "$folder"
    printf '%s\n\n%s\n\n%s\n' \
        'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
        $'Files: *\nCopyright: the authors of Hearth\nLicense: Apache-2.0' \
        $'License: Apache-2.0\n On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.' >"$folder/copyright"
    gzip -9n <"$root/CHANGELOG.md" >"$folder/CHANGELOG.md.gz"
}

place_scenarios() {
    local file
    # In their folders, since scenarios name files relative to their own.
    for file in "$root"/Simulations/*/*.{scenario,json}; do
        place "$file" "hearth-sim/usr/share/hearth-sim/${file#"$root/Simulations/"}"
    done
}
