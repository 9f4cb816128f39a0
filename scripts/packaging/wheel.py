"""Writes a wheel that contains the program, so that `pip install` gives a project a node for its tests."""

import argparse
import base64
import hashlib
import os
import zipfile

# The C library of Debian 12 is 2.36; the program needs symbols of 2.35 at most.
TAG = "py3-none-manylinux_2_35_x86_64"

MODULE = '''"""The program hearth, which this package contains."""

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "hearth")


def main():
    """Becomes the program, with the arguments of this process."""
    os.execv(PROGRAM, ["hearth"] + sys.argv[1:])
'''


def python_version(version):
    """A Debian version as Python writes it: its revision is a post-release."""
    upstream, _, revision = version.partition("-")
    return upstream + (".post" + "".join(filter(str.isdigit, revision)) if revision else "")


def files(program, version, license_text):
    info = f"hearth-{version}.dist-info"
    return {
        "hearth/__init__.py": MODULE.encode(),
        "hearth/__main__.py": b"from hearth import main\n\nmain()\n",
        "hearth/bin/hearth": program,
        f"{info}/LICENSE": license_text,
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: hearth\nVersion: {version}\n"
            "Summary: Self-hosted sync database with the API of the Firebase Realtime Database\n"
            "License: Apache-2.0\nRequires-Python: >=3.8\n\n"
            "`hearth demo` runs a cluster of three nodes; `hearth --help` lists all commands.\n"
        ).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: hearth\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\nhearth = hearth:main\n",
    }


def record(contents, path):
    """The list of all files with their hashes, as RECORD has it."""
    lines = []
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
    return ("".join(lines) + f"{path},,\n").encode()


def write(contents, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.endswith("/bin/hearth") else 0o100644) << 16
            wheel.writestr(entry, content)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--version", "--license", "--out"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    version = python_version(options.version)
    contents = files(read(options.program), version, read(options.license))
    index = f"hearth-{version}.dist-info/RECORD"
    contents[index] = record(contents, index)
    path = os.path.join(options.out, f"hearth-{version}-{TAG}.whl")
    write(contents, path)
    print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
