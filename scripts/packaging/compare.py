"""Names what differs between the results of two builds: files, and the members of packages that differ."""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile


def digests(folder):
    """The hash of each file below a folder, by its path."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def differences(first, second):
    """The paths that are in one folder only, or whose contents differ."""
    one, other = digests(first), digests(second)
    for path in sorted(one.keys() | other.keys()):
        if path not in other:
            yield path, f"is only in {first}"
        elif path not in one:
            yield path, f"is only in {second}"
        elif one[path] != other[path]:
            yield path, "differs"


def unpack(path, folder):
    """Unpacks a package; false for other files."""
    if path.endswith(".deb"):
        command = ["dpkg-deb", "--raw-extract", path, folder]
    elif path.endswith((".tar", ".tar.xz")):
        command = ["tar", "--no-same-owner", "-C", folder, "-xf", path]
    elif path.endswith(".whl"):
        command = [sys.executable, "-m", "zipfile", "-e", path, folder]
    else:
        return False
    subprocess.run(command, check=True)
    return True


def members(first, second):
    """The members of two packages that differ; none if they are no packages."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        if unpack(first, one) and unpack(second, other):
            for path, _ in differences(one, other):
                yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first")
    parser.add_argument("second")
    options = parser.parse_args()
    count = 0
    for path, what in differences(options.first, options.second):
        count += 1
        print(f"{path} {what}")
        if what == "differs":
            for member in members(os.path.join(options.first, path), os.path.join(options.second, path)):
                print(f"    {member}")
    print("nothing differs" if count == 0 else f"{count} files differ")


if __name__ == "__main__":
    main()
