"""The key that evaluations are counted by: environment, policy and subject (C10)."""


def counted_key(environment: str, policy: str, subject_type: str, named_by: str, subject: str) -> bytes:
    r"""Returns the key of a policy and a subject. Different ones have different keys, whatever characters they have.

    `environment` is a UUID, or empty for a bundle without environment. `named_by` is `id`, or `external_id` for a
    subject whose external id resolves to nothing. `subject` is that identifier.

    >>> counted_key("", "p", "user", "id", "alice")
    b'\x001\x00p4\x00userid\x00alice'
    """
    parts = (environment, "\0", str(len(policy)), "\0", policy, str(len(subject_type)), "\0", subject_type, named_by)
    return "".join((*parts, "\0", subject)).encode(errors="surrogatepass")
