"""Lists the components of the programs in the format SPDX 2.3: the programs with their hashes, and all linked libraries."""

import argparse
import hashlib
import json
import os
import re
import subprocess
import time


def swift_version():
    try:
        text = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    except OSError:
        return "NOASSERTION"
    found = re.search(r"Swift version (\S+)", text)
    return found[1] if found else "NOASSERTION"


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def component(name, version, supplier, **more):
    return {
        "SPDXID": identifier(name),
        "name": name,
        "versionInfo": version,
        "supplier": supplier,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        **more,
    }


def library(line):
    name, version = line.split()
    reference = {
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": f"pkg:deb/debian/{name}@{version}",
    }
    return component(name, version, "Organization: Debian", externalRefs=[reference])


def program(path, version):
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return component(
        os.path.basename(path), version, "Organization: Hearth", licenseDeclared="Apache-2.0",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])


def relation(element, kind, other):
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other}


def document(programs, versions, version):
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    main = [program(path, version) for path in programs]
    with open(versions) as file:
        parts = [library(line) for line in sorted(file)]
    parts.append(component("swift", swift_version(), "Organization: Swift.org", licenseDeclared="Apache-2.0"))
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", item["SPDXID"]) for item in main]
    relations += [relation(item["SPDXID"], "STATIC_LINK", part["SPDXID"]) for item in main for part in parts]
    digest = main[0]["checksums"][0]["checksumValue"]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"hearth-{version}",
        "documentNamespace": f"urn:hearth:{version}:{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "creators": ["Tool: scripts/package"],
        },
        "packages": main + parts,
        "relationships": relations,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--versions", required=True, help="lines of library and version")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    value = document(options.programs, options.versions, options.version)
    with open(options.out, "w") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
    print(f"{options.out}: {len(value['packages'])} components")


if __name__ == "__main__":
    main()
