# Sourced by scripts/package: Debian packages, and the folder from which apt-get installs them.

make_deb() {
    write_package hearth database "adduser, $(libraries_of hearth)" \
        'self-hosted sync database with the API of the Firebase Realtime Database
 Hearth runs as a cluster of equal nodes. Any node takes reads and writes, even
 while the network is partitioned, and all nodes end with the same data.' \
        ca-certificates
    if [[ -e $trees/hearth-sim ]]; then
        write_package hearth-sim devel "hearth (= $version), $(libraries_of hearth-sim)" \
            'simulator of Hearth clusters under faults
 It runs the code of the nodes in simulated time, with failures of the network,
 of disks and of nodes, and checks what clients saw.'
    fi
    local name
    for name in hearth hearth-sim; do
        [[ -e $trees/$name-dbgsym ]] || continue
        write_package "$name-dbgsym" debug "$name (= $version)" "debug symbols of $name"
    done
}

libraries_of() { # package; prints the Debian packages with the shared libraries of its program
    local folder=$work/shlibdeps
    mkdir -p "$folder/debian" && printf 'Source: hearth\n\nPackage: hearth\nArchitecture: amd64\n' >"$folder/debian/control"
    (cd "$folder" && dpkg-shlibdeps -O "$trees/$1/usr/bin/$1" 2>/dev/null) | sed 's/^shlibs:Depends=//'
}

write_package() { # name, section, packages that it depends on, description, packages that it recommends
    local tree=$trees/$1 script
    mkdir -p "$tree/DEBIAN"
    cat >"$tree/DEBIAN/control" <<END
Package: $1
Version: $version
Architecture: amd64
Maintainer: The authors of Hearth <hearth@localhost>
Section: $2
Priority: optional
Installed-Size: $(du -k -s --apparent-size --exclude=DEBIAN "$tree" | cut -f 1)
Depends: $3${5:+
Recommends: $5}
Description: $4
END
    if [[ $1 == hearth ]]; then
        for script in postinst prerm postrm; do
            install -m 755 "$root/scripts/packaging/debian/$script" "$tree/DEBIAN/$script"
        done
    fi
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$out/$1_${version}_amd64.deb" | sed 's/^dpkg-deb: //'
    rm -r "$tree/DEBIAN"
}

# A folder that any web server, or file:, offers to apt-get.
make_apt() {
    local folder=$out/apt conf=$work/reprepro/conf
    rm -rf "$folder" "$work/reprepro" && mkdir -p "$folder" "$conf"
    {
        printf 'Origin: Hearth\nLabel: Hearth\nCodename: stable\nArchitectures: amd64\nComponents: main\n'
        if [[ $key ]]; then printf 'SignWith: %s\n' "$key"; fi
    } >"$conf/distributions"
    reprepro --silent --basedir "$work/reprepro" --outdir "$folder" includedeb stable "$out"/*_"${version}"_amd64.deb
    if [[ $key ]]; then
        gpg --batch --export "$key" >"$folder/hearth.gpg"
    else
        printf 'note: the apt folder is not signed; name a key with --key\n'
    fi
    write_apt_page >"$folder/README.txt"
}

write_apt_page() {
    local trust='[trusted=yes]'
    if [[ $key ]]; then
        trust='[signed-by=/etc/apt/keyrings/hearth.gpg]'
        printf 'As root, copy hearth.gpg to /etc/apt/keyrings. Then:\n\n'
    fi
    printf '    echo "deb %s URL-OR-file:/FOLDER-OF-THIS-FILE stable main" >/etc/apt/sources.list.d/hearth.list\n' "$trust"
    printf '    apt-get update && apt-get install hearth\n'
}
