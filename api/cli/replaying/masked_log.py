"""The masked form of a model for `writ replay --masks`: its values are hashed as those of the log."""

from pathlib import Path

from ....runtime import Engine, RateCounters
from ...review.replaying.masked_model import UnusableMasks, masked_model
from ...review.replaying.replayed_record import MaskedLog, Replayed
from ...store.environment_ids import DEFAULT
from ...telemetry.decision_log.mask_key import key_in
from ...telemetry.decision_log.masks import BadMasks, Masks, read_masks
from ..named_model import compiled_bundle, named_model
from ..output import CommandFailed, error_console


def masked_log(name: str, environment: str | None, masks: Path, key: Path | None) -> Replayed:
    """Returns the masked form of the model that a user names. Says which policies can't be decided.

    `environment` is the one of the log, or None to compare all records. Raises CommandFailed, OSError.
    """
    try:
        given = read_masks(masks.read_bytes())
        if environment is None and {*given} - {"*"}:
            raise CommandFailed("the masks differ by environment; choose the one of the log by `--env`")
        if key is None and any(mask.do == "hash" for listed in given.values() for mask in listed):
            raise CommandFailed("the masks hash values; name the file of their key by `--hash-key`")
        found = Masks(given, None if key is None else key_in(key)).of(environment)
        if found is None:
            raise CommandFailed(f"`{masks}` has no masks for this environment; replay a bundle without `--masks`")
        model = named_model(name, environment or DEFAULT).model
        if model is None:
            raise CommandFailed(f"`{name}` is a bundle, whose values can't be hashed; name its documents or its store")
        masked = masked_model(model, found)
    except (BadMasks, UnusableMasks) as ex:
        raise CommandFailed(str(ex)) from None
    for reason in masked.reasons:
        error_console().print(f"WARNING: {reason}", markup=False)
    engine = Engine(compiled_bundle(masked.model), counters=RateCounters())
    return Replayed(engine, environment, MaskedLog(found, masked.hidden))
