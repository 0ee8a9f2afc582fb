"""The events in the audit log."""

from enum import StrEnum


class Event(StrEnum):
    """Every event, by its name in the log."""

    TOKEN_ISSUED = "token.issued"  # noqa: S105 - a name
    TOKEN_REFUSED = "token.refused"  # noqa: S105 - a name
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - a name
    CREDENTIAL_REFUSED = "credential.refused"
    CLIENT_CREATED = "client.created"
    CLIENT_CHANGED = "client.changed"
    CLIENT_SECRET_RENEWED = "client.secret_renewed"  # noqa: S105 - a name
    CLIENT_OLD_SECRETS_ENDED = "client.old_secrets_ended"
    CLIENT_REVOKED = "client.revoked"
    CLIENT_DELETED = "client.deleted"
    API_KEY_CREATED = "api_key.created"
    API_KEY_ROTATED = "api_key.rotated"
    API_KEY_OLD_ENDED = "api_key.old_keys_ended"
    API_KEY_DELETED = "api_key.deleted"
    SIGN_IN_REFUSED = "sign_in.refused"
    SESSION_STARTED = "session.started"
    SESSION_ENDED = "session.ended"
    ADMIN_KEY_SET = "admin_key.set"
    SIGNING_KEY_ROTATED = "signing_key.rotated"
    BUNDLE_KEY_ROTATED = "bundle_key.rotated"
    ENVIRONMENT_CREATED = "environment.created"
    ENVIRONMENT_CHANGED = "environment.changed"
    ENVIRONMENT_DELETED = "environment.deleted"
    GATEWAY_CHANGED = "gateway.changed"
    MODEL_CHANGED = "model.changed"
    MODEL_EXPORTED = "model.exported"
    MODEL_PROMOTED = "model.promoted"
    MODEL_RESTORED = "model.restored"
    PROMOTION_REQUESTED = "promotion.requested"
    PROMOTION_APPROVED = "promotion.approved"
    PROMOTION_REJECTED = "promotion.rejected"
    BUNDLE_EXPORTED = "bundle.exported"
    BUNDLE_PUBLISHED = "bundle.published"
    STORE_BACKED_UP = "store.backed_up"
    STORE_RESTORED = "store.restored"
    STORE_COPIED = "store.copied"
    STORE_UPGRADED = "store.upgraded"
    SERVICE_STARTED = "service.started"
    SERVICE_STOPPED = "service.stopped"
    LOG_CUT = "audit.cut"
