"""A worker: it counts the messages of rooms, as jobs ask. Run as many as you like; each job is done once.

    python3 worker.py http://127.0.0.1:7001,http://127.0.0.1:7011 worker.token

A job is `{by, room, due}`. `due` is the time from which a worker may claim it. A claim moves `due` to the end of a
lease, so that another worker claims the job again if this one dies. The result replaces `due`.
"""

import collections
import http.client
import json
import random
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

LEASE_SECONDS = 30


class Cluster:
    """The nodes of a Hearth cluster, by REST. While one does not answer, the next one is used."""

    def __init__(self, nodes, token_file):
        self.nodes = nodes.split(",")
        self.token_file = Path(token_file)

    def request(self, method, path, value=None, query={}, headers={}):
        """Returns the value in the answer, and its ETag. Repeats the request until a node answers."""
        while True:
            # The file may contain a new token.
            headers = {**headers, "Authorization": f"Bearer {self.token_file.read_text().strip()}"}
            address = f"{self.nodes[0]}/{path}.json?{urllib.parse.urlencode(query)}"
            body = None if method == "GET" else json.dumps(value).encode()
            try:
                request = urllib.request.Request(address, body, headers, method=method)
                with urllib.request.urlopen(request, timeout=10) as answer:
                    return json.load(answer), answer.headers["ETag"]
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    raise
                problem = error
            except (OSError, http.client.HTTPException, ValueError) as error:
                problem = error  # No connection, or an answer that was cut off.
            print(f"{self.nodes[0]} does not answer: {problem}", file=sys.stderr)
            self.nodes.append(self.nodes.pop(0))
            time.sleep(0.5)

    def get(self, path, **query):
        # Strings of a query are JSON, with quotation marks.
        query = {name: json.dumps(value) for name, value in query.items()}
        return self.request("GET", path, query=query)[0]

    def transaction(self, path, change):
        """Replaces a value by `change(value)`, unless another write comes first: then with the newer value, again.

        Returns the new value, or None if `change` returned None. A write whose answer was lost is repeated too, so
        `change` must accept its own result.
        """
        value, etag = self.request("GET", path, headers={"X-Firebase-ETag": "true"})
        while True:
            new = change(value)
            if new is None:
                return None
            try:
                self.request("PUT", path, new, headers={"if-match": etag})
                return new
            except urllib.error.HTTPError as error:
                if error.code != 412:
                    raise
                value, etag = json.load(error), error.headers["ETag"]


class Worker:
    def __init__(self, cluster):
        self.cluster = cluster
        self.name = f"{socket.gethostname()}-{uuid.uuid4().hex[:8]}"

    def claim(self, job):
        """Marks a job as this worker's for a while; None if it is done, or another worker has it."""
        is_mine = job and job.get("worker") == self.name
        if not job or "due" not in job or (job["due"] > now() and not is_mine):
            return None
        return {**job, "worker": self.name, "due": now() + LEASE_SECONDS * 1000}

    def finish(self, result):
        """The change that stores a result, unless the lease has ended and another worker has the job."""
        def change(job):
            if not job or job.get("worker") != self.name:
                return None
            return {**{name: job[name] for name in job if name != "due"}, "result": result}
        return change

    def work(self, job):
        """The work itself: counts the messages of each user in a room."""
        messages = self.cluster.get(f"messages/{job['room']}") or {}
        return collections.Counter(message["from"] for message in messages.values())

    def run(self):
        while True:
            due = self.cluster.get("jobs", orderBy="due", startAt=1, endAt=now(), limitToFirst=10) or {}
            # Workers that start at different jobs seldom compete for one.
            for key in random.sample(sorted(due), len(due)):
                job = self.cluster.transaction(f"jobs/{key}", self.claim)
                if job and self.cluster.transaction(f"jobs/{key}", self.finish(self.work(job))):
                    print(f"done {key}", flush=True)
            time.sleep(0 if due else 1)


def now():
    return int(time.time() * 1000)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        Worker(Cluster(*sys.argv[1:])).run()
    except urllib.error.HTTPError as error:
        sys.exit(f"error: {error.url.split('?')[0]}: {error.code} {error.read().decode()}")
    except KeyboardInterrupt:
        pass
