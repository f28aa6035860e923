"""Object stores, as little as the log asks of them: whole objects by name, read through smart-open.

Every method raises `OSError` where it fails, and `FileNotFoundError` where there is no object.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from server.errors import ConfigError


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object as its store lists it; `modified_s` in seconds since 1970."""

    key: str
    size_bytes: int
    modified_s: float


class Objects(Protocol):
    """Objects under one prefix; keys are relative to it."""

    def get(self, key: str) -> bytes: ...

    def put(self, key: str, data: bytes, *, new: bool = False) -> None:
        """Write an object: it is there whole and for good when this returns, or not at all.

        Args:
            key: Its name.
            data: Its bytes.
            new: Whether one that is there already is a fault (`FileExistsError`).
        """
        ...

    def list(self, prefix: str) -> list[StoredObject]:
        """Objects whose key begins so, in the order of their keys."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object; one that is gone already is no fault."""
        ...


def open_objects(url: str) -> Objects:
    """The objects under `s3://bucket/prefix` or `gs://bucket/prefix`.

    Keys and addresses come from where the providers' own tools take them (environment, profiles).

    Raises:
        ConfigError: The extra that this kind needs is not installed, or its settings are wrong.
    """
    kind, _, rest = url.partition("://")
    bucket, _, prefix = rest.partition("/")
    prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
    makers: dict[str, Callable[[str, str], Objects]] = {"s3": S3Objects, "gs": GcsObjects}
    try:
        return makers[kind](bucket, prefix)
    except ImportError as error:
        extra = {"s3": "s3", "gs": "gcs"}[kind]
        raise ConfigError(
            f"log_dir {kind}:// needs the `{extra}` extra: pip install 'localserver[{extra}]'"
        ) from error
    except Exception as error:
        raise ConfigError(
            f"log_dir {url} cannot be used ({type(error).__name__}: {error}); "
            "set the provider's region and credentials"
        ) from error


class S3Objects:
    """Amazon S3, or what speaks its protocol (`AWS_ENDPOINT_URL`)."""

    def __init__(self, bucket: str, prefix: str) -> None:
        import boto3  # type: ignore[import-untyped]
        from botocore.config import Config  # type: ignore[import-untyped]
        from smart_open import open as smart_open

        self._open = smart_open
        self._bucket = bucket
        self._prefix = prefix
        self._client: Any = boto3.client(
            "s3",
            config=Config(
                connect_timeout=5, read_timeout=30, retries={"max_attempts": 3, "mode": "standard"}
            ),
        )

    def get(self, key: str) -> bytes:
        with (
            _faults(key),
            self._open(self._uri(key), "rb", transport_params=self._params()) as file,
        ):
            return bytes(file.read())

    def put(self, key: str, data: bytes, *, new: bool = False) -> None:
        params = self._params(multipart_upload=False)
        if new:
            params["client_kwargs"] = {"S3.Client.put_object": {"IfNoneMatch": "*"}}
        with _faults(key), self._open(self._uri(key), "wb", transport_params=params) as file:
            file.write(data)

    def list(self, prefix: str) -> list[StoredObject]:
        pages = self._client.get_paginator("list_objects_v2")
        with _faults(prefix):
            return [
                StoredObject(
                    item["Key"].removeprefix(self._prefix),
                    item["Size"],
                    item["LastModified"].timestamp(),
                )
                for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix + prefix)
                for item in page.get("Contents", ())
            ]

    def delete(self, key: str) -> None:
        with _faults(key):
            self._client.delete_object(Bucket=self._bucket, Key=self._prefix + key)

    def _uri(self, key: str) -> str:
        return f"s3://{self._bucket}/{self._prefix}{key}"

    def _params(self, **more: Any) -> dict[str, Any]:
        return {"client": self._client, **more}


class GcsObjects:
    """Google Cloud Storage, or its emulator (`STORAGE_EMULATOR_HOST`)."""

    def __init__(self, bucket: str, prefix: str) -> None:
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import storage  # type: ignore[import-untyped]
        from smart_open import open as smart_open

        self._open = smart_open
        self._bucket = bucket
        self._prefix = prefix
        if os.environ.get("STORAGE_EMULATOR_HOST"):
            self._client: Any = storage.Client(
                project="emulator",
                credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
            )
        else:
            self._client = storage.Client()

    def get(self, key: str) -> bytes:
        with (
            _faults(key),
            self._open(self._uri(key), "rb", transport_params=self._params()) as file,
        ):
            return bytes(file.read())

    def put(self, key: str, data: bytes, *, new: bool = False) -> None:
        params = self._params()
        if new:
            params["blob_open_kwargs"] = {"if_generation_match": 0}
        with _faults(key), self._open(self._uri(key), "wb", transport_params=params) as file:
            file.write(data)

    def list(self, prefix: str) -> list[StoredObject]:
        with _faults(prefix):
            blobs = list(self._client.list_blobs(self._bucket, prefix=self._prefix + prefix))
            found = [
                StoredObject(
                    blob.name.removeprefix(self._prefix), blob.size, blob.updated.timestamp()
                )
                for blob in blobs
            ]
        return sorted(found, key=lambda one: one.key)

    def delete(self, key: str) -> None:
        from google.api_core.exceptions import NotFound

        with _faults(key):
            try:
                self._client.bucket(self._bucket).blob(self._prefix + key).delete()
            except NotFound:
                pass  # gone already

    def _uri(self, key: str) -> str:
        return f"gs://{self._bucket}/{self._prefix}{key}"

    def _params(self) -> dict[str, Any]:
        return {"client": self._client}


@contextmanager
def _faults(key: str) -> Iterator[None]:
    """The libraries' many kinds of error as `OSError`."""
    try:
        yield
    except Exception as error:
        status = _status_of(error)
        if status == 404:
            raise FileNotFoundError(errno.ENOENT, "no such object", key) from error
        if status in (409, 412):
            raise FileExistsError(errno.EEXIST, "another writer was first", key) from error
        reason = f"the object store refused or was not reached: {type(error).__name__}"
        raise OSError(errno.EIO, reason, key) from error


def _status_of(error: BaseException | None) -> int | None:
    """The HTTP status behind an error of a library, wherever it keeps it."""
    while error is not None:
        response = getattr(error, "response", None)
        if isinstance(response, dict):
            return int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
        code = getattr(error, "code", None)
        if isinstance(code, int):
            return int(code)
        error = getattr(error, "backend_error", None) or error.__cause__ or error.__context__
    return None
