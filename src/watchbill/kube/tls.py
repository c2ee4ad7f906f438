"""Whom we trust and how we show our certificate: a TLS context that accepts what kubectl accepts."""

import os
import ssl
import tempfile

from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import Cluster


def context(cluster: Cluster, certificate: bytes, key: bytes) -> ssl.SSLContext:
    """Raises KubeError when a certificate cannot be used."""
    made = _trusting(cluster)
    if certificate:
        _show(made, certificate, key)
    return made


def authority(cluster: Cluster) -> bytes:
    """The certificates of the authority, as PEM; empty: those of the machine. Data wins over a file."""
    if cluster.authority or not cluster.authority_file:
        return cluster.authority
    try:
        with open(cluster.authority_file, "rb") as file:
            return file.read()
    except OSError as error:
        raise KubeError(
            f"cannot read certificate-authority {cluster.authority_file}: {error.strerror}",
            where=_place(cluster),
            reason="Credentials",
        ) from error


def _trusting(cluster: Cluster) -> ssl.SSLContext:
    if cluster.insecure:
        if cluster.authority or cluster.authority_file:
            raise KubeError(
                f"cluster {cluster.name!r} has insecure-skip-tls-verify and a certificate authority: only one is allowed",
                where=_place(cluster),
            )
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
        return made
    pem = authority(cluster)
    try:
        made = ssl.create_default_context(cadata=pem.decode("ascii") if pem else None)
    except (ssl.SSLError, ValueError) as error:
        raise KubeError(
            f"the certificate authority of cluster {cluster.name!r} is not a certificate",
            where=_place(cluster),
            then="it is PEM: -----BEGIN CERTIFICATE-----",
            reason="Credentials",
        ) from error
    # As in Go: authorities of clusters often lack what newer Pythons insist on, and an intermediate one may be trusted.
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    made.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return made


def _show(made: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Python reads them from files only: these are ours alone and gone at once."""
    with tempfile.TemporaryDirectory(prefix="watchbill-") as folder:
        files = []
        for name, content in (("certificate", certificate), ("key", key)):
            files.append(os.path.join(folder, name))
            with open(os.open(files[-1], os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)
        try:
            made.load_cert_chain(files[0], files[1], password=_no_password)
        except (ssl.SSLError, ValueError) as error:
            raise KubeError(
                f"the client certificate and its key cannot be used: {getattr(error, 'reason', None) or error}",
                then="both are PEM and belong together; a key with a password cannot be used",
                reason="Credentials",
            ) from error


def _no_password() -> str:
    """Without this OpenSSL would ask on the terminal."""
    return ""


def _place(cluster: Cluster) -> str | None:
    return cluster.file or None
