"""Certificates and keys of one instance, made anew with it: EC P-256, by openssl."""

import subprocess
from dataclasses import dataclass

from dev.cluster import packages
from dev.cluster.errors import ClusterError
from dev.cluster.layout import NODE_NAME, Layout

# Given explicitly, so that no openssl.cnf of the machine has a say.
CONFIG = "[req]\ndistinguished_name = subject\nprompt = no\n[subject]\n"


@dataclass(frozen=True)
class Certificate:
    name: str
    subject: str
    authority: str = "ca"
    serves: tuple[str, ...] = ()


def certificates(layout: Layout) -> list[Certificate]:
    names = [
        f"DNS:kubernetes{suffix}" for suffix in ("", ".default", ".default.svc", ".default.svc.cluster.local")
    ]
    addresses = [f"IP:{address}" for address in (layout.api_service, "127.0.0.1", layout.node_address)]
    found = [
        Certificate("apiserver", "/CN=kube-apiserver", serves=("DNS:localhost", *names, *addresses)),
        Certificate("apiserver-kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client"),
        Certificate("front-proxy-client", "/CN=front-proxy-client", authority="front-proxy-ca"),
        Certificate("admin", "/O=system:masters/CN=admin"),
        Certificate("controller-manager", "/CN=system:kube-controller-manager"),
    ]
    if layout.level == "node":
        node = f"/O=system:nodes/CN=system:node:{NODE_NAME}"
        found += [
            Certificate("scheduler", "/CN=system:kube-scheduler"),
            Certificate("proxy", "/CN=system:kube-proxy"),
            Certificate("kubelet", node),
            Certificate("kubelet-serving", node, serves=(f"DNS:{NODE_NAME}", f"IP:{layout.node_address}")),
        ]
    return found


def ensure(layout: Layout) -> None:
    """Make them all unless they are there already."""
    done = layout.pki / "complete"
    if done.exists():
        return
    layout.pki.mkdir(parents=True, exist_ok=True)
    layout.pki.chmod(0o700)
    (layout.pki / "openssl.cnf").write_text(CONFIG)
    _run(layout, [_authority(name) for name in ("ca", "front-proxy-ca")])
    # sa.key signs the tokens of service accounts, sa.pub lets the API server believe them.
    key = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "sa.key"]
    _run(layout, [key, *(_issue(certificate) for certificate in certificates(layout))])
    _run(layout, [["pkey", "-in", "sa.key", "-pubout", "-out", "sa.pub"]])
    done.touch()


def _request(name: str, subject: str) -> list[str]:
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"]
    files = ["-keyout", f"{name}.key", "-out", f"{name}.crt"]
    return ["req", "-x509", "-config", "openssl.cnf", *curve, "-days", "3650", *files, "-subj", subject]


def _authority(name: str) -> list[str]:
    usage = "keyUsage=critical,keyCertSign,cRLSign,digitalSignature"
    return [
        *_request(name, f"/CN=watchbill-{name}"),
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-addext",
        usage,
    ]


def _issue(certificate: Certificate) -> list[str]:
    purpose = "serverAuth" if certificate.serves else "clientAuth"
    extensions = [
        "basicConstraints=critical,CA:FALSE",
        "keyUsage=critical,digitalSignature",
        f"extendedKeyUsage={purpose}",
    ]
    if certificate.serves:
        extensions.append(f"subjectAltName={','.join(certificate.serves)}")
    signed = ["-CA", f"{certificate.authority}.crt", "-CAkey", f"{certificate.authority}.key"]
    added = [word for extension in extensions for word in ("-addext", extension)]
    return [*_request(certificate.name, certificate.subject), *signed, *added]


def _run(layout: Layout, commands: list[list[str]]) -> None:
    """All at once: each takes some milliseconds of waiting for the other."""
    openssl = packages.openssl()
    running = [
        subprocess.Popen(
            [*openssl, *command],
            cwd=layout.pki,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            umask=0o077,
        )
        for command in commands
    ]
    for process, command in zip(running, commands, strict=True):
        _, said = process.communicate()
        if process.returncode:
            raise ClusterError(
                f"`openssl {' '.join(command)}` failed:\n{said.strip()}",
                "OpenSSL 3 is needed: `openssl version`",
            )
