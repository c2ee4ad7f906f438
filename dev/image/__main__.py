"""`python -m dev.image` builds the image and prints where its archive is."""

from dev.image import recipes

print(recipes.watchbill())
