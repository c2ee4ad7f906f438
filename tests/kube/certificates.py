"""Certificates for tests, by openssl: an authority, what it signs for a server and for clients."""

import subprocess
from pathlib import Path

from dev.cluster import packages

CONFIG = "[req]\ndistinguished_name = subject\nprompt = no\n[subject]\n"


class Authority:
    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder = folder
        self.name = name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "openssl.cnf").write_text(CONFIG)
        self._openssl(
            name,
            f"/CN={name}",
            "basicConstraints=critical,CA:TRUE",
            "keyUsage=critical,keyCertSign,digitalSignature",
        )

    @property
    def certificate(self) -> Path:
        return self.folder / f"{self.name}.crt"

    def server(self, name: str, *serves: str) -> tuple[Path, Path]:
        return self._issue(name, f"/CN={name}", "serverAuth", f"subjectAltName={','.join(serves)}")

    def client(self, name: str, group: str = "tests") -> tuple[Path, Path]:
        return self._issue(name, f"/O={group}/CN={name}", "clientAuth")

    def _issue(self, name: str, subject: str, purpose: str, *extensions: str) -> tuple[Path, Path]:
        self._openssl(
            name,
            subject,
            "basicConstraints=critical,CA:FALSE",
            f"extendedKeyUsage={purpose}",
            *extensions,
            signed=("-CA", f"{self.name}.crt", "-CAkey", f"{self.name}.key"),
        )
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"

    def _openssl(self, name: str, subject: str, *extensions: str, signed: tuple[str, ...] = ()) -> None:
        command = [*packages.openssl(), "req", "-x509", "-config", "openssl.cnf", "-newkey", "ec"]
        command += ["-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30", "-subj", subject]
        command += ["-keyout", f"{name}.key", "-out", f"{name}.crt", *signed]
        command += [word for extension in extensions for word in ("-addext", extension)]
        subprocess.run(command, check=True, cwd=self.folder, capture_output=True)
