"""Our OCI image, and the roots of Debian packages it stands on, made without a registry."""
