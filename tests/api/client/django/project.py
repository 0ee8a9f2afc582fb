"""A project of Django in one module, which a test serves in another process; it prints its port."""

# ruff: noqa: E402 - Django must be set up before its models are imported

import sys
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import django
from django.conf import settings

FOLDER = Path(sys.argv[1])
KIND = sys.argv[2]


def subject_of(user: Any) -> Any:
    """The subject of a user."""
    return {"type": "user", "id": user.username} if user.is_authenticated else None


OWNERS = """\
extensions references

type document
    actions change

policy own
    allow everyone to change document
        when resource.status is subject.id
"""


def owners_engine() -> Any:
    """An engine by which those may change a document whose name is its status."""
    import writ.testing

    path = FOLDER / "owners.writ"
    path.write_text(OWNERS)
    return writ.testing.engine(path)


def no_engine() -> Any:
    """A followed engine before its first bundle."""
    import writ

    raise writ.FollowError("nothing is in force yet")


settings.configure(
    SECRET_KEY="test",
    DEBUG=False,
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "db.sqlite"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    AUTHENTICATION_BACKENDS=["writ.django.backend.WritBackend"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    },
    WRIT_SUBJECT=subject_of,
    TIME_ZONE="America/New_York",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from asgiref.sync import sync_to_async
from django.apps import apps
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import call_command
from django.db import connection, models
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from rest_framework import generics, serializers, viewsets
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.views import APIView
from writ.django import AuthorizedQuerySet
from writ.django.changing import changing
from writ.django.creating import WritCreate
from writ.django.permissions import of_permission
from writ.django.rest_framework import WritFilterBackend, WritPermission

from tests.support.web_applications import Looping, engine

if KIND == "owners":
    settings.WRIT_ENGINE = owners_engine()
elif KIND == "none":
    settings.WRIT_ENGINE = no_engine
else:
    settings.WRIT_ENGINE = engine(FOLDER)
if KIND == "looping":
    settings.WRIT_ASYNC_ENGINE = Looping(settings.WRIT_ENGINE)


class Document(models.Model):
    """A document."""

    id = models.CharField(primary_key=True, max_length=20)
    status = models.CharField(max_length=20)
    objects = AuthorizedQuerySet.as_manager()

    class Meta:
        app_label = "documents"


class Paper(models.Model):
    """Another kind of document, by its type."""

    writ_type = "document"
    writ_attributes = ("scan", "due")
    id = models.CharField(primary_key=True, max_length=20)
    scan = models.FileField()
    due = models.DateTimeField()

    class Meta:
        app_label = "documents"


class Foreign(models.Model):
    """A model of another application, which is no document."""

    writ_type = "parcel"

    class Meta:
        app_label = "post"
        db_table = "foreign"


Foreign._meta.model_name = "document"
apps.all_models["post"] = {"document": Foreign}


class ByHeader(BaseAuthentication):
    """Who the header says."""

    def authenticate(self, request: Any) -> Any:
        name = request.headers.get("User")
        return (User.objects.get(username=name), None) if name else None


class Shown(serializers.ModelSerializer):
    """All of a document."""

    class Meta:
        model = Document
        fields = ("id", "status")


class DocumentViews(viewsets.ModelViewSet):
    """Documents."""

    queryset = Document.objects.order_by("id")
    serializer_class = Shown
    authentication_classes = (ByHeader,)
    permission_classes = (WritPermission,)
    filter_backends = (WritFilterBackend,)
    writ_actions: ClassVar = {"update": "change", "partial_update": "change", "create": "change"}


class Creating(WritCreate, DocumentViews):
    """The same, which asks about each new document."""

    writ_actions: ClassVar = {"create": "read"}

    def get_serializer(self, *args: Any, **kwargs: Any) -> Any:
        """A list creates several."""
        return super().get_serializer(*args, **kwargs, many=isinstance(kwargs.get("data"), list))


class Careless(Creating):
    """Saves in its own way, and asks nothing."""

    def perform_create(self, serializer: Any) -> None:
        """Saves."""
        serializer.save()


class Updating(DocumentViews):
    """Documents whose `status` is the name of their owner, as the model of the kind `owners` has it."""

    def perform_update(self, serializer: Any) -> None:
        """Saves one that is to fail with a change of another row, which must not stay."""
        serializer.save()
        Document.objects.filter(pk="d2").update(status=serializer.validated_data["status"])


class Trusting(Updating):
    """The same, which asks about the object as it was alone."""

    writ_new_values = False


class Unfiltered(DocumentViews):
    """The same without a filter."""

    filter_backends = ()


class Actions(DocumentViews):
    """Documents with actions of their own."""

    @action(detail=True)
    def forgetful(self, request: Any, pk: str) -> Response:
        """Gets its object without asking."""
        return Response(Document.objects.get(pk=pk).status)

    @action(detail=True, methods=["get", "post"])
    def publish(self, request: Any, pk: str) -> Response:
        """Asks about its object."""
        return Response(self.get_object().status)

    @action(detail=True)
    def careful(self, request: Any, pk: str) -> Response:
        """Asks in the other way."""
        found = Document.objects.get(pk=pk)
        self.check_object_permissions(request, found)
        return Response(found.status)


class OfFolder(generics.ListAPIView):
    """The documents of a folder, whose key is in the path."""

    queryset = Document.objects.order_by("id")
    serializer_class = Shown
    authentication_classes = (ByHeader,)
    permission_classes = (WritPermission,)
    filter_backends = (WritFilterBackend,)


class Export(generics.RetrieveAPIView):
    """A document, for those who may change it. It counts how often it was read."""

    queryset = Document.objects.order_by("id")
    serializer_class = Shown
    authentication_classes = (ByHeader,)
    permission_classes = (WritPermission,)
    writ_actions: ClassVar = {"GET": "change"}


class Plain(APIView):
    """A view without a model."""

    authentication_classes = (ByHeader,)
    permission_classes = (WritPermission,)

    def get(self, request: Any, **given: Any) -> Response:
        """Never runs."""
        return Response("ran")


def attributes(request: HttpRequest) -> JsonResponse:
    """The question about a document that is in no table."""
    paper = Paper(id="p1", scan="scans/p1.pdf", due=datetime(2026, 7, 1, 12))
    return JsonResponse(of_permission({"type": "user", "id": "alice"}, "documents.read_paper", paper))


def has_perm(request: HttpRequest) -> JsonResponse:
    """Asks `has_perm`."""
    user, perm, obj = asked(request)
    return JsonResponse({"answer": user.has_perm(perm, obj)})


async def ahas_perm(request: HttpRequest) -> JsonResponse:
    """Asks `ahas_perm`."""
    user, perm, obj = await sync_to_async(asked)(request)
    return JsonResponse({"answer": await user.ahas_perm(perm, obj)})


def asked(request: HttpRequest) -> Any:
    """The user, the permission and the object that a request names."""
    name, id = request.GET.get("user"), request.GET.get("id")
    user = User.objects.get(username=name) if name else AnonymousUser()
    return user, request.GET["perm"], found(id) if id else None


def found(id: str) -> Any:
    """The document with an id, or something else that is none."""
    return {"a text": "d1", "the model": Document}.get(id) or Document.objects.get(pk=id)


def change(request: HttpRequest) -> JsonResponse:
    """Changes or creates a document in a block of `changing`."""
    document = Document(pk=request.GET["id"])
    with changing(document, {"type": "user", "id": request.GET["user"]}, "change"):
        document.status = request.GET["status"]
        document.save()
    return JsonResponse({"status": document.status})


router = SimpleRouter()
router.register("", Actions)
ONE = {"get": "retrieve", "put": "update"}
ALL = {"get": "list", "post": "create"}
urlpatterns = [
    path("has_perm", has_perm),
    path("ahas_perm", ahas_perm),
    path("documents", DocumentViews.as_view(ALL)),
    path("documents/<str:pk>", DocumentViews.as_view(ONE)),
    path("actions/", include(router.urls)),
    path("folders/<str:pk>/documents", OfFolder.as_view()),
    path("sets/<str:pk>/documents", DocumentViews.as_view(ALL)),
    path("exports/<str:pk>", Export.as_view()),
    path("plain", Plain.as_view()),
    path("plain/<str:pk>", Plain.as_view()),
    path("attributes", attributes),
    path("creating", Creating.as_view(ALL)),
    path("updating/<str:pk>", Updating.as_view(ONE | {"patch": "partial_update"})),
    path("trusting/<str:pk>", Trusting.as_view(ONE | {"patch": "partial_update"})),
    path("changing", change),
    path("careless", Careless.as_view(ALL)),
    path("unfiltered", Unfiltered.as_view(ALL)),
]

if __name__ == "__main__":
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Document)
    for name in ("alice", "bob", "gone"):
        User.objects.create(username=name, is_active=name != "gone")
    Document.objects.bulk_create(
        Document(id=id, status=one) for id, one in {"d1": "draft", "d2": "final", "d3": "draft"}.items()
    )
    if KIND == "owners":
        Document.objects.filter(pk="d1").update(status="alice")
    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(get_wsgi_application())
    print(server.server_port, flush=True)
    server.serve_forever()
