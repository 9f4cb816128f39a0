"""Tests of the programs in scripts/packaging, with small files in place of the program."""

import contextlib
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
import zipfile

SCRIPTS = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SCRIPTS / "packaging"))
import compare
import components
import image
import wheel


class Packaging(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        return path

    def test_an_image_has_a_user_a_health_check_and_the_libraries_of_the_program(self):
        layout = image.image("/bin/true", "1.2.3")
        index = json.loads(layout.files["index.json"])
        manifest = json.loads(self.blob(layout, index["manifests"][0]))
        config = json.loads(self.blob(layout, manifest["config"]))
        self.assertEqual(config["config"]["User"], "10001:10001")
        self.assertEqual(config["config"]["Healthcheck"]["Test"][1:], ["/usr/bin/hearth", "node", "--health"])
        layer = gzip.decompress(self.blob(layout, manifest["layers"][0]))
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + image.hashlib.sha256(layer).hexdigest()])
        with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
            names = tar.getnames()
            data = tar.getmember("var/lib/hearth")
        self.assertEqual((data.uid, data.mode), (10001, 0o700))
        self.assertIn("usr/bin/hearth", names)
        self.assertTrue(any(name.endswith("libc.so.6") for name in names), names)
        self.assertEqual(len(names), len(set(names)))

    def blob(self, layout, descriptor):
        content = layout.files["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
        self.assertEqual(len(content), descriptor["size"])
        return content

    def test_equal_files_give_equal_images_and_wheels(self):
        results = []
        for name in ("a", "b"):
            image.image("/bin/true", "1").write(self.path(name + ".tar"))
            wheel.write(wheel.files(b"program", "1", b"text"), self.path(name + ".whl"))
            results.append([self.read(name + ".tar"), self.read(name + ".whl")])
        self.assertEqual(results[0], results[1])

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_wheel_starts_its_program_and_lists_all_files(self):
        program = b"#!/bin/sh\necho ran $*\n"
        contents = wheel.files(program, "1.0", b"text")
        index = "hearth-1.0.dist-info/RECORD"
        contents[index] = wheel.record(contents, index)
        wheel.write(contents, self.path("a.whl"))
        with zipfile.ZipFile(self.path("a.whl")) as file:
            names, lines = file.namelist(), file.read(index).decode().splitlines()
            for entry in file.infolist():
                os.chmod(file.extract(entry, self.folder.name), entry.external_attr >> 16)
        self.assertEqual([line.split(",")[0] for line in lines], names)
        command = [sys.executable, "-m", "hearth", "demo", "-x"]
        ran = subprocess.run(command, cwd=self.folder.name, capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout, "ran demo -x\n")

    def test_a_debian_revision_is_a_post_release_of_python(self):
        self.assertEqual(wheel.python_version("0.3.0"), "0.3.0")
        self.assertEqual(wheel.python_version("0.3.0-2"), "0.3.0.post2")

    def test_the_list_of_components_links_each_program_with_each_library(self):
        versions = self.path("versions", b"zlib 1\nabc 2-1\n")
        program = self.path("hearth", b"program")
        value = components.document([program], versions, "1")
        names = [item["name"] for item in value["packages"]]
        self.assertEqual(names, ["hearth", "abc", "zlib", "swift"])
        links = [item for item in value["relationships"] if item["relationshipType"] == "STATIC_LINK"]
        self.assertEqual(len(links), 3)
        self.assertTrue(all(item["spdxElementId"] == "SPDXRef-hearth" for item in links))

    def test_a_comparison_names_files_and_members_that_differ(self):
        for folder, text in (("one", b"1"), ("two", b"2")):
            self.path(f"{folder}/same", b"x")
            self.path(f"{folder}/only-{folder}", b"x")
            contents = {"hearth/a": b"x", "hearth/b": text}
            wheel.write(contents, self.path(f"{folder}/w.whl"))
        output = io.StringIO()
        arguments = ["compare.py", self.path("one"), self.path("two")]
        with contextlib.redirect_stdout(output), unittest.mock.patch.object(sys, "argv", arguments):
            compare.main()
        lines = output.getvalue().splitlines()
        self.assertEqual(lines[2:], ["w.whl differs", "    hearth/b", "3 files differ"])
        self.assertTrue(lines[0].startswith("only-one is only in"))

    def test_wrong_arguments_are_refused_before_any_work(self):
        for words in (["--only", "rpm"], ["--what"], ["--out"], ["--revision", "A b"]):
            ran = subprocess.run([str(SCRIPTS / "package"), *words], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 64, ran.stderr)
            self.assertIn("fix: see scripts/package --help", ran.stderr)

    def test_the_unit_retries_all_failures_but_mistakes_in_files(self):
        unit = (SCRIPTS.parent / "configs" / "hearth@.service").read_text().splitlines()
        for line in ("StartLimitIntervalSec=0", "Type=notify", "Restart=always", "RestartPreventExitStatus=78", "UMask=0077"):
            self.assertIn(line, unit)

    def run_maintainer_script(self, name, *words, commands=(), mounting=None):
        """Runs a script of the Debian package on folders below the test's own. Returns the calls of some commands."""
        script = (SCRIPTS / "packaging" / "debian" / name).read_text()
        for path in ("/etc/", "/var/lib/", "/run/"):
            script = script.replace(path, self.folder.name + path)
        calls = self.path("calls", b"")
        for command, status in commands:
            self.path(f"bin/{command}", f"#!/bin/sh\necho {command} $* >>{calls}\nexit {status}\n".encode())
            os.chmod(self.path(f"bin/{command}"), 0o755)
        path = self.path(name, script.encode())
        command = ["sh", path, *words]
        if mounting:
            mount = f'mount -t tmpfs tmpfs "{mounting}" && touch "{mounting}/data" && sh "$@" && ls -A "{mounting}"'
            command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, *command]
        environment = {"PATH": f"{self.path('bin')}:{os.environ['PATH']}"}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        return ran, pathlib.Path(calls).read_text().splitlines()

    users = (("deluser", 0), ("delgroup", 0))

    def test_a_purge_deletes_configuration_and_data(self):
        self.path("etc/hearth/n1.key", b"x")
        self.path("var/lib/hearth/n1/log.sqlite", b"x")
        ran, calls = self.run_maintainer_script("postrm", "purge", commands=self.users)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(os.listdir(self.path("etc")) + os.listdir(self.path("var/lib")), [])
        self.assertIn("deluser --system --quiet hearth", calls)

    def test_a_purge_empties_a_data_folder_on_another_disk(self):
        disk = self.path("disk")
        self.path("disk/n1/log.sqlite", b"x")
        self.path("var/lib/other", b"x")
        os.symlink(disk, self.path("var/lib/hearth"))
        ran, _ = self.run_maintainer_script("postrm", "purge", commands=self.users)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual((os.listdir(disk), os.listdir(self.path("var/lib"))), ([], ["other"]))

    def test_a_purge_empties_a_mount_point_and_goes_on(self):
        if subprocess.run(["unshare", "--map-root-user", "--mount", "true"], capture_output=True).returncode != 0:
            self.skipTest("this system has no namespaces of users")
        data = self.path("var/lib/hearth")
        os.makedirs(data)
        ran, calls = self.run_maintainer_script("postrm", "purge", commands=self.users, mounting=data)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""), ran.stderr)
        self.assertIn("stays, since it is a mount point", ran.stderr)
        self.assertIn("deluser --system --quiet hearth", calls)

    def test_an_installation_makes_a_missing_group_for_a_user_that_exists(self):
        for folder in ("etc/hearth", "var/lib/hearth"):
            os.makedirs(self.path(folder))
        self.path("bin/getent", b'#!/bin/sh\n[ "$1" = passwd ]\n')
        os.chmod(self.path("bin/getent"), 0o755)
        commands = [(name, 0) for name in ("adduser", "addgroup", "chown")]
        ran, calls = self.run_maintainer_script("postinst", "configure", "", commands=commands)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(calls[0], "addgroup --system --quiet hearth")
        self.assertFalse([call for call in calls if call.startswith("adduser")])

    def test_the_scripts_of_the_debian_package_are_valid_shell(self):
        for script in sorted((SCRIPTS / "packaging" / "debian").iterdir()):
            subprocess.run(["sh", "-n", script], check=True)


if __name__ == "__main__":
    unittest.main()
