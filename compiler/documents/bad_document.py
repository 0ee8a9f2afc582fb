"""What a reader raises where a document can't be read any further."""


class BadDocument(Exception):
    """The rest of a document can't be read; the message is one sentence, `offset` counts the characters before it."""

    def __init__(self, code: str, message: str, offset: int, help_text: str = ""):
        super().__init__(message)
        self.code, self.message, self.offset, self.help = code, message, offset, help_text
