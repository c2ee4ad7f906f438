"""`.watchbill.yaml`: what users say of how they deploy, and of what they want to hear."""
