"""The files of scenarios, which are in folders of `Simulations` by their subjects."""


def all_of(root):
    """The paths of all scenarios, in their order."""
    return sorted((root / "Simulations").rglob("*.scenario"))


def named(root):
    """The paths of all scenarios by their names, which are unique."""
    return {path.stem: path for path in all_of(root)}
