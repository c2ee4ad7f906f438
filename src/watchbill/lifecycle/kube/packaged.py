"""The data files of this package: the one place of the model that reads anything."""

_FOLDER = __file__.rpartition("/")[0]


def read(name: str) -> bytes:
    with open(f"{_FOLDER}/data/{name}", "rb") as file:
        return file.read()
