"""`python -m dev.image` builds the image and prints where its archive is; `... membership`, those of the example."""

import argparse

from dev.image import recipes

RECIPES = {"watchbill": recipes.watchbill, "membership": recipes.membership}

parser = argparse.ArgumentParser("python -m dev.image", description=__doc__)
parser.add_argument("image", nargs="?", choices=RECIPES, default="watchbill")
print(RECIPES[parser.parse_args().image]())
