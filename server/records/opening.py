"""Which store the settings name: folders of this machine, or an object store."""

from __future__ import annotations

from server.records.object_store import ObjectStore
from server.records.objects import open_objects
from server.records.store import KeepsRecords, ReadsRecords, RecordFiles, RecordStore
from server.settings import Settings


def open_store(settings: Settings) -> KeepsRecords:
    """The store of a service; it is the only one that may write there.

    Raises:
        StorageBusyError: Another service owns it.
        StorageError: It cannot be used.
    """
    if settings.record_url is not None:
        store = ObjectStore(open_objects(settings.record_url))
        store.check()
        return store
    return RecordStore(settings.log_dir, settings.image_dir, min_free_bytes=settings.min_free_bytes)


def open_files(settings: Settings) -> ReadsRecords:
    """The same for reading alone: a service may own it meanwhile."""
    if settings.record_url is not None:
        return ObjectStore(open_objects(settings.record_url))
    return RecordFiles(settings.log_dir, settings.image_dir)
