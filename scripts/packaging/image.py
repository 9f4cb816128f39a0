"""Writes the image of a node as an OCI layout in one tar file: the program and the C library, and nothing else.

A node in it runs as user 10001. Only /var/lib/hearth and /tmp have to be writable.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import time

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
USER = 10001
DATA = "var/lib/hearth"


class Layer:
    """A file system as a tar file; all entries have the same time."""

    def __init__(self):
        self.buffer = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.buffer, mode="w", format=tarfile.GNU_FORMAT)
        self.folders = set()

    def entry(self, path, mode, owner=0):
        info = tarfile.TarInfo(path)
        info.mode, info.uid, info.gid, info.mtime = mode, owner, owner, EPOCH
        return info

    def folder(self, path, mode=0o755, owner=0):
        if path in self.folders or not path:
            return
        self.folder(os.path.dirname(path))
        self.folders.add(path)
        info = self.entry(path, mode, owner)
        info.type = tarfile.DIRTYPE
        self.tar.addfile(info)

    def file(self, path, content, mode=0o644):
        self.folder(os.path.dirname(path))
        info = self.entry(path, mode)
        info.size = len(content)
        self.tar.addfile(info, io.BytesIO(content))

    def bytes(self):
        self.tar.close()
        return self.buffer.getvalue()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def libraries(program):
    """The paths at which the program looks for its shared libraries, the loader included."""
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", listed)))


def file_system(program):
    layer = Layer()
    layer.file("etc/passwd", f"hearth:x:{USER}:{USER}::/{DATA}:/nonexistent\n".encode())
    layer.file("etc/group", f"hearth:x:{USER}:\n".encode())
    layer.folder("etc/hearth")
    layer.folder(DATA, 0o700, USER)
    layer.folder("tmp", 0o1777)
    # Runtimes mount these, also where the root is read-only.
    for path in ("dev", "proc", "sys"):
        layer.folder(path)
    layer.file("usr/bin/hearth", read(program), 0o755)
    for path in libraries(program):
        layer.file(path.lstrip("/"), read(os.path.realpath(path)), 0o755)
    return layer.bytes()


def configuration(layer, version):
    second = 1_000_000_000
    return {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)),
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin", "HEARTH_CONFIG=/etc/hearth/cluster.json5"],
            "Entrypoint": ["/usr/bin/hearth"],
            "Cmd": ["node"],
            "WorkingDir": f"/{DATA}",
            "Volumes": {f"/{DATA}": {}},
            "StopSignal": "SIGTERM",
            # Docker and Podman run it; it needs HEARTH_NODE_ID.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/hearth", "node", "--health"],
                "Interval": 10 * second,
                "Timeout": 5 * second,
                "StartPeriod": 60 * second,
                "Retries": 3,
            },
            "Labels": {"org.opencontainers.image.title": "hearth", "org.opencontainers.image.version": version},
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created_by": "scripts/package"}],
    }


class Layout:
    """The files of an OCI layout, by name."""

    def __init__(self):
        self.files = {"oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode()}

    def blob(self, content, kind):
        digest = hashlib.sha256(content).hexdigest()
        self.files["blobs/sha256/" + digest] = content
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(content)}

    def json(self, value, kind):
        return self.blob(json.dumps(value, sort_keys=True).encode(), kind)

    def write(self, path):
        layer = Layer()
        for name in sorted(self.files):
            layer.file(name, self.files[name])
        with open(path, "wb") as file:
            file.write(layer.bytes())


def image(program, version):
    layout = Layout()
    layer = file_system(program)
    packed = layout.blob(gzip.compress(layer, 6, mtime=0), "layer.v1.tar+gzip")
    manifest = layout.json(
        {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": layout.json(configuration(layer, version), "config.v1+json"),
            "layers": [packed],
        },
        "manifest.v1+json",
    )
    manifest["annotations"] = {"org.opencontainers.image.ref.name": version}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}
    layout.files["index.json"] = json.dumps(index, sort_keys=True).encode()
    return layout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--program", "--version", "--out"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    image(options.program, options.version).write(options.out)
    print(f"{options.out}: {os.path.getsize(options.out)} bytes")


if __name__ == "__main__":
    main()
