"""What is checked, and where it comes from: charts on the disk, in git and elsewhere, and streams of manifests."""
