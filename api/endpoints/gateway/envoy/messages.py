"""The protobuf messages of Envoy's check and of the health check, with the fields that Writ reads or writes.

The names and numbers are those of Envoy's API v3 (`envoy/service/auth/v3/external_auth.proto` and
`attribute_context.proto`), of `google/rpc/status.proto` and of `grpc/health/v1/health.proto`. A reader of protobuf
skips the other fields. The pool is our own: an application in the same process may have the whole API in the default
one.
"""

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.message import DecodeError

__all__ = ["CHECK_REQUEST", "CHECK_RESPONSE", "HEALTH_REQUEST", "HEALTH_RESPONSE", "DecodeError"]

_CORE, _AUTH, _TYPE = "envoy.config.core.v3", "envoy.service.auth.v3", "envoy.type.v3"
_RPC, _HEALTH = "google.rpc", "grpc.health.v1"
_HEADERS: Final = f"*{_CORE}.HeaderValueOption"

_Fields = Mapping[str, tuple[int, str]]

_MESSAGES: Final[Mapping[str, _Fields]] = {
    f"{_CORE}.HeaderValue": {"key": (1, "string"), "value": (2, "string"), "raw_value": (3, "bytes")},
    f"{_CORE}.HeaderMap": {"headers": (1, f"*{_CORE}.HeaderValue")},
    # `append_action` and `code` are enums, which have the same bytes as integers.
    f"{_CORE}.HeaderValueOption": {
        "header": (1, f"{_CORE}.HeaderValue"),
        "append_action": (3, "int32"),
        "keep_empty_value": (4, "bool"),
    },
    f"{_TYPE}.HttpStatus": {"code": (1, "int32")},
    f"{_RPC}.Status": {"code": (1, "int32"), "message": (2, "string")},
    # A map is a list of entries on the wire. As a list, it shows a key that is there twice.
    f"{_AUTH}.HeadersEntry": {"key": (1, "string"), "value": (2, "string")},
    f"{_AUTH}.HttpRequest": {
        "method": (2, "string"),
        "headers": (3, f"*{_AUTH}.HeadersEntry"),
        "path": (4, "string"),
        "host": (5, "string"),
        "query": (7, "string"),
        "fragment": (8, "string"),
        "header_map": (13, f"{_CORE}.HeaderMap"),
    },
    f"{_AUTH}.Request": {"http": (2, f"{_AUTH}.HttpRequest")},
    f"{_AUTH}.AttributeContext": {"request": (4, f"{_AUTH}.Request")},
    f"{_AUTH}.CheckRequest": {"attributes": (1, f"{_AUTH}.AttributeContext")},
    f"{_AUTH}.DeniedHttpResponse": {
        "status": (1, f"{_TYPE}.HttpStatus"),
        "headers": (2, _HEADERS),
        "body": (3, "string"),
    },
    f"{_AUTH}.OkHttpResponse": {"headers": (2, _HEADERS), "headers_to_remove": (5, "*string")},
    f"{_AUTH}.CheckResponse": {
        "status": (1, f"{_RPC}.Status"),
        "denied_response": (2, f"{_AUTH}.DeniedHttpResponse"),
        "ok_response": (3, f"{_AUTH}.OkHttpResponse"),
    },
    f"{_HEALTH}.HealthCheckRequest": {"service": (1, "string")},
    f"{_HEALTH}.HealthCheckResponse": {"status": (1, "int32")},
}
"""The fields of each message, by its full name: number and type. `*` stands before the type of a list."""

_SCALARS: Final = {
    "string": FieldDescriptorProto.TYPE_STRING,
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "int32": FieldDescriptorProto.TYPE_INT32,
    "bool": FieldDescriptorProto.TYPE_BOOL,
}


def _pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    files: dict[str, FileDescriptorProto] = {}
    for name, fields in _MESSAGES.items():
        package, _, short = name.rpartition(".")
        file = files.setdefault(package, FileDescriptorProto(name=package, package=package, syntax="proto3"))
        _add_fields(file.message_type.add(name=short), fields)
    files[_AUTH].dependency.extend((_CORE, _TYPE, _RPC))
    for package in (_CORE, _TYPE, _RPC, _AUTH, _HEALTH):
        pool.AddSerializedFile(files[package].SerializeToString())
    return pool


def _add_fields(message: DescriptorProto, fields: _Fields) -> None:
    for name, (number, type) in fields.items():
        field = message.field.add(name=name, number=number)
        repeated = type.startswith("*")
        field.label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
        kind = type.removeprefix("*")
        if kind in _SCALARS:
            field.type = _SCALARS[kind]
        else:
            field.type, field.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{kind}"


_POOL: Final = _pool()


def _class(name: str) -> Any:
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(name))


CHECK_REQUEST: Final = _class(f"{_AUTH}.CheckRequest")
CHECK_RESPONSE: Final = _class(f"{_AUTH}.CheckResponse")
HEALTH_REQUEST: Final = _class(f"{_HEALTH}.HealthCheckRequest")
HEALTH_RESPONSE: Final = _class(f"{_HEALTH}.HealthCheckResponse")
