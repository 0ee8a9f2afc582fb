"""The value of a header field as it counts: without the spaces and tabs around it (RFC 9110, 5.5; C11)."""

_WHITE_SPACE = b" \t"


def field_value(sent: bytes) -> bytes:
    """Returns the value that counts. Each reader of a request takes its fields through here.

    >>> field_value(b"delete \t")
    b'delete'
    """
    return sent.strip(_WHITE_SPACE)
