"""Who may claim and finish a job, by the worker's own rules. Argument: the folder of the worker."""

import sys

sys.dont_write_bytecode = True  # The folder of the example stays as it is.
sys.path.insert(0, sys.argv[1])
from worker import LEASE_SECONDS, Worker, now

ada, bob = Worker(None), Worker(None)
job = {"by": "eve", "room": "lobby", "due": now()}

claimed = ada.claim(job)
assert claimed["worker"] == ada.name and claimed["due"] >= job["due"] + LEASE_SECONDS * 1000
assert bob.claim(claimed) is None, "another worker has the job"
assert ada.claim(claimed)["worker"] == ada.name, "a repetition accepts its own claim"
assert bob.claim({**claimed, "due": now()})["worker"] == bob.name, "the lease has ended"
assert bob.claim({**job, "due": now() + 60_000}) is None, "the job is not due"
assert ada.claim(None) is None, "the job was removed"

done = ada.finish({"eve": 1})(claimed)
assert done == {"by": "eve", "room": "lobby", "worker": ada.name, "result": {"eve": 1}}
assert ada.finish({"eve": 1})(done) == done, "a repetition accepts its own result"
assert bob.finish({"eve": 2})(claimed) is None, "another worker has the job"
assert bob.claim(done) is None, "the job is done"
print("all well")
