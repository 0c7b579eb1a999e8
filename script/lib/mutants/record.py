"""The record: journal, view and librarian."""

from .kinds import instead, never, without

_JOURNAL = "core/test_journal.py"
_NODE = "core/test_node.py"
_INTAKE = "core/test_intake.py"
_REPOSITORY = "core/test_repository.py"

MUTATIONS = (
    without(
        "the disk's sync in the journal",
        "journal.py",
        "        datasync(self._file)\n",
        _JOURNAL,
    ),
    never("a torn tail is cut", "journal.py", "length < len(data)", _JOURNAL),
    never(
        "a durable record that is lost is noticed",
        "journal.py",
        "synced or one is not found[-1]",
        _JOURNAL,
    ),
    never(
        "a segment that is gone is noticed",
        "journal.py",
        "number and not one.follows(found[number - 1])",
        _JOURNAL,
    ),
    without(
        "what is old of a boot that goes on is purged",
        "node.py",
        "        self.journal.part()\n",
        _NODE,
    ),
    instead(
        "one process a journal",
        "journal.py",
        "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "pass",
        _JOURNAL,
    ),
    without(
        "a record's checksum",
        "segment.py",
        ' and line[:8] == b"%08x" % crc32(line[8:])',
        _JOURNAL,
    ),
    instead(
        "a sync before the journal is purged",
        "node.py",
        "            await self.sync()\n"
        "            await self._run(lambda: self.journal.purge",
        "            await self._run(lambda: self.journal.purge",
        _NODE,
    ),
    never(
        "a node's own paths",
        "node.py",
        "not owner_allows(self.name, path)",
        _NODE,
    ),
    instead(
        "a boot above all that were seen",
        "node.py",
        "1 + max(self.journal.boot, seen)",
        "1 + self.journal.boot",
        _NODE,
    ),
    instead(
        "a new boot after a restored backup",
        "node.py",
        "if (seen, seq) <= (self.boot, self.journal.seq):",
        "if True:",
        _NODE,
    ),
    instead(
        "one writer a path",
        "view.py",
        "if message.writes and self.may(event.node, message.writes):",
        "if message.writes:",
        "core/test_view.py",
    ),
    never(
        "no gap in the record",
        "librarian/intake.py",
        "ended is None or ended > last",
        _INTAKE,
    ),
    never(
        "each event once",
        "librarian/intake.py",
        "entry.position <= last",
        _INTAKE,
    ),
    never(
        "signed by its node",
        "librarian/intake.py",
        "not trusted and not self._signed(node, entry)",
        _INTAKE,
    ),
    never(
        "grants signed even over the hub's own pipe",
        "librarian/intake.py",
        "message.type is MessageType.GRANT and not self._signed(event.node, entry)",
        _INTAKE,
    ),
    never(
        "one writer a path, in Git",
        "librarian/intake.py",
        "path := foreign(event.node, message.writes, self._owners)",
        _INTAKE,
    ),
    never(
        "an event under its own name",
        "librarian/intake.py",
        "message.event != event",
        _INTAKE,
    ),
    instead(
        "the record's sync before the branch moves",
        "librarian/repository.py",
        "            disk.sync_filesystem(self._folder)\n            killpoint()\n"
        "            disk.write_ref",
        "            killpoint()\n            disk.write_ref",
        _REPOSITORY,
    ),
    never(
        "the acknowledgment in the batch's last commit",
        "librarian/repository.py",
        "event is events[-1]",
        _REPOSITORY,
    ),
)
