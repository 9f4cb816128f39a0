# Sourced by the scripts above: installs the Debian packages and finds the Swift that they need.

build_packages=(libzmq3-dev libsqlite3-dev libevent-dev libsimdjson-dev libedit-dev libssl-dev libjemalloc-dev g++)
# The test programs in Python run with Debian's own /usr/bin/python3, which finds the first two.
test_packages=(python3-websockets python3-msgpack python3-h11 python3-venv curl node-llhttp openssl iso-codes iproute2 chromium-headless-shell)
# Clients of Firebase, which tests run against nodes: each with what goes into an environment of its own.
python_clients=('firebase-admin==7.7.0 prometheus_client==0.21.1' 'Pyrebase4==4.9.0 setuptools<81' 'firebase-rest-api==1.11.0 setuptools<81')

# Exit code for what is needed and not there, from sysexits.
readonly unavailable=69

stop() { # exit code, problem, fix
    printf 'error: %s\nfix: %s\n' "$2" "$3" >&2
    exit "$1"
}

missing_packages() { # packages
    local installed package
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -qxF "installed $package" <<<"$installed" || printf '%s\n' "$package"
    done
}

# Installs what is missing when it may, and otherwise says how to.
require_packages() { # packages
    command -v dpkg-query >/dev/null ||
        stop $unavailable "this is not a Debian system" "use Debian 12, or install the equivalents of: $*"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    ((EUID == 0)) ||
        stop $unavailable "these Debian packages are missing: ${missing[*]}" \
            "sudo apt-get install -y ${missing[*]}"
    printf 'installing %s …\n' "${missing[*]}" >&2
    install_packages "${missing[@]}"
}

# The lists of packages are fetched only when those at hand do not do.
install_packages() { # packages
    local output
    output=$(apt_get install "$@" 2>&1) && return
    output=$(apt_get update 2>&1 && apt_get install "$@" 2>&1) && return
    printf '%s\n' "$output" >&2
    stop $unavailable "apt-get could not install $*" \
        "mend what it says above, then run: apt-get update && apt-get install -y $*"
}

apt_get() { # command and its arguments
    DEBIAN_FRONTEND=noninteractive \
        apt-get -y -q -o DPkg::Lock::Timeout=300 -o APT::Install-Recommends=false "$@"
}

require_swift() {
    command -v swift >/dev/null ||
        stop $unavailable "Swift is not installed, or not in PATH" \
            "install Swift 6.3 for Debian 12 from https://www.swift.org/install/linux and add its usr/bin to PATH"
}

# Puts each client into .build/python, in an environment named by its package.
require_python_clients() {
    local requirements client folder
    for requirements in "${python_clients[@]}"; do
        client=${requirements%%=*}
        folder=$root/.build/python/$client
        [[ -e $folder/complete ]] && continue
        printf 'installing %s from PyPI …\n' "$client" >&2
        rm -rf "$folder"
        # The versions are words of one string.
        # shellcheck disable=SC2086
        { /usr/bin/python3 -m venv "$folder" && "$folder/bin/pip" install -q $requirements; } >&2 ||
            stop $unavailable "pip could not install $requirements" \
                "mend what it says above; .build/python holds what is installed"
        touch "$folder/complete"
    done
}
