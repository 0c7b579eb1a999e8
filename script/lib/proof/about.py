"""What the parts do and compare, in the words of the page."""

REPLAY = """\
Recorded with their timings, then played over a Mosquitto, with a librarian behind it,
on a clock that leaps from one moment to the next; without a device or a model. Each
line of the decisions (asked, proposed, granted or refused and why, what the devices
were then) is compared with the recorded one. The properties are those of an
[audit](audit.md) of the repository that came of it, held against what reached the
devices. The format: [traces](traces.md)."""

WHAT_IF = """\
The same recorded day under another policy. `--planner` asks instead what another model
would have planned; that takes a key, so it is not here."""

AUDIT = """\
A record that a real hub has made is altered in one way after another, also by somebody
who has the hub's key; the [audit](audit.md) has to name what is wrong and the first bad
commit, and nothing in sound ones. Each is a test of that name."""

TABLE1 = """\
Live runs of the three scenes with the real core over a Mosquitto, each with a Git
repository that is audited. Counts are sums over all runs."""

SENTENCES = """\
Drawn from the templates of Home Assistant's own intents, fragments as a microphone
hears them included. Questions that code alone does not know as such are left to the
model."""

MUTATIONS = """\
By itself, in a copy of the tree; then its tests have to fail. Those that nobody would
miss stand in bold. Files of the core are named from there."""

BENCH = """\
How each row is measured: [the bench](bench.md). Broker, librarian and manager are
processes beside the hub on this machine; no network is in it."""

FAULTS = """\
Hub, phone's manager, librarian (dewey) and broker are processes that are killed at
random, and at numbered points (`@`), while the hub wishes without a pause. Then lamps,
journals and Git are compared: what is lost, doubled, done twice or without a lease, how
each intent ended, `git fsck`."""

SCALE = """\
Each size of a home plays commands against an independent [oracle](bench.md#verdicts):
the wrongly refused / accepted, and the memory of the process. The record is that of a
real hub with 1,000 lamps: written, packed, opened, asked and audited. What grows with
it is told under [size](record.md#size)."""
