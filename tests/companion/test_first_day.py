"""What goes wrong when somebody tries the commands: told in a line, not a traceback."""

from collections.abc import Iterator
from contextlib import suppress
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
from threading import Event as Flag, Thread

import pytest

from hearthnet.cli import main
from hearthnet.core.clock import SystemClock
from hearthnet.core.librarian.library import Library
from hearthnet.core.librarian.record import Event
from hearthnet.traces.play import play
from hearthnet.traces.trace import SHIPPED, Trace
from hearthnet.traces.written import write
from tests.core.records import make_node, say
from tests.support.process import living_members, wait_until

SCENES = SHIPPED / "scenes.json"
PROC = Path("/proc")
_PROGRAM = "import sys; from hearthnet.cli import main; sys.exit(main())"


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first_day") / "record"
    write(play(Trace.load(SCENES)).records, folder)
    return folder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, record: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "record").symlink_to(record)
    (tmp_path / "noise").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "half.json").write_text("{")
    git("init", "-q", "--bare", "empty")
    git("init", "-q", "-b", "main", "code")
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git("-C", "code", *person, "commit", "-q", "--allow-empty", "-m", "Something")
    git("clone", "-q", "--bare", "--depth", "5", f"file://{record}", "shallow")
    return tmp_path


def git(*words: str | Path) -> None:
    subprocess.run(["git", *words], check=True)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("record", "required: REPOSITORY OUTPUT"),
        ("record record", "either REPOSITORY OUTPUT"),
        ("record record no/day.json", "no/day.json: No such file"),
        ("record record .", ".: Is a directory"),
        ("record record /dev/full", "/dev/full: No space left"),
        ("record record day.json --since hub.9.9", "hub.9.9 is not on record"),
        ("record nothing day.json", "nothing is not there"),
        ("record noise day.json", "noise is no Git repository"),
        ("record empty day.json", "empty has no branch main"),
        ("record code day.json", "no start of the hub is on record in code"),
        ("record shallow day.json", "shallow is a shallow clone"),
        ("audit", "required: REPOSITORY"),
        ("audit nothing", "nothing is not there"),
        ("audit empty", "empty has no branch main"),
        ("audit shallow", "shallow is a shallow clone"),
        ("audit export hub.1.4", "either REPOSITORY or export"),
        ("audit export hub.9.9 record", "nothing is on record about hub.9.9"),
        ("audit export hub.1.4 record --output no/x.html", "no/x.html: No such"),
        ("audit record --json /dev/full", "/dev/full: No space left"),
        ("audit record --key hub", "--key hub: not NODE=KEY"),
        ("audit record --chain half.json", "half.json is no chain of keys"),
        ("audit record --chain nothing", "nothing: No such file"),
        ("replay", "required: TRACE"),
        ("replay nothing", "nothing: No such file"),
        ("replay .", ".: Is a directory"),
        ("replay noise", "noise: not UTF-8"),
        ("replay half.json", "half.json: not JSON"),
        (f"replay {SCENES} --policy noise", "noise: not UTF-8"),
        (f"replay {SCENES} --policy half.json", "half.json: line "),
        (f"replay {SCENES} --policy nothing", "nothing: No such file"),
        ("table1 --runs 0", "0 is no number from 1 on"),
        ("table1 --runs many", "many is no number from 1 on"),
        ("table1 --fast --runs 1 --json no/x.json", "no/x.json: No such"),
        ("nonsense", "invalid choice: 'nonsense'"),
        ("", "make a trace"),
    ],
)
def test_it_says_what_is_wrong(
    line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with suppress(SystemExit):  # of argparse, whose code is 2
        assert main(line.split()) == 2
    shown = capsys.readouterr().err
    assert told in shown
    assert "Traceback" not in shown


def test_options_may_stand_between_words() -> None:
    assert main(["record", "record", "--redact", "day.json"]) == 0
    export = ["audit", "export", "--redact", "hub.1.4", "record"]
    assert main([*export, "--output", "x.html"]) == 0
    assert main(["replay", "day.json", "--fast", str(SCENES)]) == 0


def test_what_the_newest_start_rests_on_is_in_the_trace(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After the scenes' restart a lease comes again that was granted before it."""
    assert main(["record", "record", "day.json"]) == 0
    assert "it begins with hub.1." in capsys.readouterr().err
    assert "    refused: not_asked, fenced, revoked, stale_state" in (
        Trace.load(Path("day.json")).decisions
    )
    assert main(["replay", "day.json"]) == 0


def test_without_git(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["audit", "record"]) == 0
    assert "git is not installed" in capsys.readouterr().out
    assert main(["record", "record", "day.json"]) == 0


def test_the_record_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(subprocess.CalledProcessError):
        git("-C", "record", "fsck")
    assert main(["audit", "record"]) == 0


@pytest.fixture
def busy(here: Path) -> Iterator[Path]:
    """A record that a librarian is writing."""
    folder, enough, begun = here / "busy", Flag(), Flag()
    node = make_node(here / "journal")

    def work() -> None:
        library = Library(folder, SystemClock())
        records = [node.hello]
        node.subscribe(records.append)
        while not enough.is_set():
            for number in range(20):
                say(node, writes={f"tasks/{number}.json": len(records)})
            events = [
                Event(r.message.event, r.data, r.signature, r.message) for r in records
            ]
            records.clear()
            library.write(events)
            begun.set()
        library.close()

    writing = Thread(target=work)
    writing.start()
    assert begun.wait(10)
    yield folder
    enough.set()
    writing.join()


def test_a_record_that_is_being_written(busy: Path) -> None:
    for _ in range(5):
        assert main(["audit", str(busy)]) == 0
        assert main(["record", str(busy), "day.json"]) == 0


def test_packs_that_come_while_git_looks(
    here: Path,
    record: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A git that misses something while the librarian packs looks again."""
    copy = here / "copy"
    shutil.copytree(record, copy)
    program = here / "git"
    program.write_text(
        "#!/bin/sh\n"
        f"if [ ! -e {here}/looked ]; then\n"
        f'  echo "$@" > {here}/looked; touch {copy}/objects/pack/pack-new.pack\n'
        "  echo missing commit; exit 2\n"
        "fi\n"
        f'rm -f {copy}/objects/pack/pack-new.pack; exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{here}:{os.environ['PATH']}")
    assert main(["audit", str(copy)]) == 0
    # Not at what the branch has by then: git has listed the objects before.
    tip = (copy / "refs/heads/main").read_text().strip()
    assert (here / "looked").read_text().split()[-1] == tip
    assert "missing" not in capsys.readouterr().out


def run(*words: str | Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_it_is_cut_off(number: signal.Signals, code: int) -> None:
    """No traceback, and the broker that it has started goes with it."""
    process = run("replay", *[SCENES] * 200)
    wait_until(lambda: bool(brokers(process)), 30, lambda: "no broker")
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (code, b"")
    wait_until(lambda: not living_members(process.pid), 10, lambda: "it is left")


def brokers(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the brokers that a command has started."""
    members = living_members(process.pid)
    return [one for one in members if "mosquitto" in (PROC / f"{one}/comm").read_text()]


def test_whoever_reads_has_enough() -> None:
    process = run("replay", "--fast", *[SCENES] * 20)
    assert process.stdout
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (128 + signal.SIGPIPE, b"")
