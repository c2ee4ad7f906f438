"""SHA-256 as `hashlib` has it, without the rest of it: to load OpenSSL takes longer than to play a small chart."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha256 import sha256  # Python 3.11
    except ImportError:
        try:
            from _sha2 import sha256
        except ImportError:  # a Python that was built with OpenSSL's alone
            from hashlib import sha256

__all__ = ["sha256"]
