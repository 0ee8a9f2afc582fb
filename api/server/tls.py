"""TLS: from the files of a certificate, its key and the authority of client certificates to what a server uses."""

import ssl
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from cryptography.x509 import load_pem_x509_certificate, load_pem_x509_certificates

from ...bundles.system_errors import reason_of

TICKETS: Final = 1
"""The session tickets of a connection over TLS 1.3. One is enough to resume a session (RFC 8446, 4.6.1). OpenSSL would
send two, and each takes a twentieth of the time of a full handshake."""

_MISMATCH: Final = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH")


class UnusableTls(Exception):
    """The files can't be used; the message is one sentence."""


class TlsContents(NamedTuple):
    """The contents of the files of `TlsFiles`."""

    certificate: bytes
    key: bytes
    client_ca: bytes | None


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files: `certificate` with those that it is signed by behind it, `key`, and where clients need certificates
    the authorities that sign them, `client_ca`."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def context(self) -> ssl.SSLContext:
        """The TLS context of the files as they are now: TLS 1.2 or newer, Python's ciphers, HTTP/1.1.

        Raises:
            UnusableTls: one can't be read, the key is encrypted or another certificate's, or OpenSSL takes them not.
        """
        # `create_default_context` would write the keys of all sessions where the environment has `SSLKEYLOGFILE`.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.options |= ssl.OP_NO_RENEGOTIATION  # older OpenSSL lets a client ask for one handshake after another
        context.set_alpn_protocols(["http/1.1"])
        context.num_tickets = TICKETS
        try:
            context.load_cert_chain(self.certificate, self.key, password=self._refuse_encrypted)
        except OSError as error:
            raise self._refusal(error) from None
        if self.client_ca is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            try:
                context.load_verify_locations(self.client_ca)
            except OSError as error:
                _check_file(self.client_ca, "CERTIFICATE", "certificate")
                raise UnusableTls(f"`{self.client_ca}` can't be used: {_reason(error)}") from None
        return context

    def pem(self) -> TlsContents:
        """The contents of the files now, for a library that has its own TLS. Raises UnusableTls.

        Check them with `context` first.
        """
        try:
            client_ca = None if self.client_ca is None else self.client_ca.read_bytes()
            return TlsContents(self.certificate.read_bytes(), self.key.read_bytes(), client_ca)
        except OSError as error:
            raise UnusableTls(f"`{error.filename}` can't be read: {reason_of(error)}") from None

    def fault_of_dates(self, certificate: bytes, now: datetime) -> str | None:
        """Returns a sentence if the first of these certificates in PEM is not valid at `now`, or None.

        OpenSSL serves such a certificate, and every client refuses it. What can't be read here is valid.
        """
        try:
            found = load_pem_x509_certificate(certificate)
            since, until = found.not_valid_before_utc, found.not_valid_after_utc
        except ValueError:  # OpenSSL reads more than this library
            return None
        if now > until:
            return f"the certificate `{self.certificate}` ended at {until:%Y-%m-%dT%H:%M:%SZ}; renew it"
        if now < since:
            return (
                f"the certificate `{self.certificate}` begins at {since:%Y-%m-%dT%H:%M:%SZ}; renew it, or set the clock"
            )
        return None

    def _refuse_encrypted(self) -> NoReturn:
        """OpenSSL would ask for the password on the terminal."""
        raise UnusableTls(f"the key `{self.key}` is encrypted; `openssl pkey -in … -out …` writes one without password")

    def _refusal(self, error: OSError) -> UnusableTls:
        _check_file(self.certificate, "CERTIFICATE", "certificate")
        _check_file(self.key, "PRIVATE KEY", "private key")
        if isinstance(error, ssl.SSLError) and error.reason in _MISMATCH:
            return UnusableTls(f"the key `{self.key}` is not that of the first certificate in `{self.certificate}`")
        return UnusableTls(f"`{self.certificate}` and `{self.key}` can't be used: {_reason(error)}")


def first_end(certificates: bytes) -> float | None:
    """Returns when the first of these certificates in PEM ends (epoch seconds), or None if that can't be read."""
    try:
        return min(one.not_valid_after_utc.timestamp() for one in load_pem_x509_certificates(certificates))
    except ValueError:  # OpenSSL reads more than this library
        return None


def _check_file(path: Path, mark: str, noun: str) -> None:
    """Say more exactly what OpenSSL refused: it tells neither the file nor, of one without PEM, the fault."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UnusableTls(f"`{path}` can't be read: {reason_of(error)}") from None
    if f"{mark}-----".encode() not in text:
        raise UnusableTls(f"`{path}` holds no {noun} in PEM")


def _reason(error: OSError) -> str:
    reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
    return str(reason or error).lower().replace("_", " ")
