"""The data files of this package: the one place of the model that reads anything."""

import pkgutil


def read(name: str) -> bytes:
    content = pkgutil.get_data(__package__, f"data/{name}")
    assert content is not None
    return content
