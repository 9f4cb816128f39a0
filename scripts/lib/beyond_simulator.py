"""The list of files of the cores that no simulated cluster runs, each with its reason.

A line of `Simulations/beyond-simulator` is a file or a folder, a colon, and why. Their mutants are for the unit tests alone,
and do not count among those that the simulator should notice.
"""


class Beyond:
    """The reasons, by file or folder."""

    def __init__(self, text):
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        self.reasons = {place.strip(): reason.strip() for place, _, reason in (line.partition(":") for line in lines)}

    def __contains__(self, file):
        return any(file == place or place.endswith("/") and file.startswith(place) for place in self.reasons)

    def stale(self, files):
        """The lines without a reason, or without a file."""
        return [place for place, reason in self.reasons.items()
                if not reason or not any(file in Beyond(f"{place}: {reason}") for file in files)]
