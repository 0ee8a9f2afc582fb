"""The error of a document that can't be read to its end."""


class BadDocument(Exception):
    """The rest of a document can't be read. The message is one sentence; `offset` is the first unread character."""

    def __init__(self, code: str, message: str, offset: int, help_text: str = ""):
        super().__init__(message)
        self.code, self.message, self.offset, self.help = code, message, offset, help_text


class EmptyDocument(BadDocument):
    """The document has no value. The help says how a model document begins."""

    def __init__(self, offset: int, help_text: str = ""):
        super().__init__("wrong-type", "the document is empty", offset, help_text)
