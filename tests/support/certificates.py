"""Certificates for tests: an authority, and what it signs, as PEM files."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_PURPOSES = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
_HOSTS = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]


@dataclass(frozen=True)
class Pair:
    """The files of a certificate and its key."""

    certificate: Path
    key: Path

    @property
    def options(self) -> list[str]:
        """The options that let `writ serve` use it."""
        return ["--tls-cert", str(self.certificate), "--tls-key", str(self.key)]


class Authority:
    """Signs certificates for this machine; `file` is its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name, self._key = folder, _name(name), ec.generate_private_key(ec.SECP256R1())
        self.file = folder / f"{name}.pem"
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        own = _draft(self._name, self._name, self._key)
        own = own.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        own = own.add_extension(usage, critical=True)
        self.file.write_bytes(own.sign(self._key, SHA256()).public_bytes(serialization.Encoding.PEM))

    def pair(self, name: str, password: bytes | None = None, later: timedelta = timedelta()) -> Pair:
        """A new certificate and key, the key encrypted where there is a `password`.

        It is valid from a day ago to tomorrow, or so much `later`.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        draft = _draft(_name(name), self._name, key, later)
        draft = draft.add_extension(x509.SubjectAlternativeName(_HOSTS), critical=False)
        draft = draft.add_extension(x509.ExtendedKeyUsage(_PURPOSES), critical=False)
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        draft = draft.add_extension(signer, critical=False)
        pair = Pair(self._folder / f"{name}-certificate.pem", self._folder / f"{name}-key.pem")
        pair.certificate.write_bytes(draft.sign(self._key, SHA256()).public_bytes(serialization.Encoding.PEM))
        hiding = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        pair.key.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, hiding))
        return pair

    def trust(self, client: Pair | None = None) -> ssl.SSLContext:
        """Returns the TLS context of a client that trusts this authority, with the certificate `client` if there is
        one.
        """
        context = ssl.create_default_context(cafile=str(self.file))
        if client is not None:
            context.load_cert_chain(client.certificate, client.key)
        return context


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, later: timedelta = timedelta()
) -> x509.CertificateBuilder:
    now = datetime.now(UTC) + later
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
