"""The catalogue of reasons: one stable code, one sentence, one remedy each (SPEC section 10).

The order is the precedence when one code must be named. docs/reasons.md is made from this table.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Reason(NamedTuple):
    """A code's meaning and what to do about it."""

    code: str
    sentence: str
    remedy: str


_REFRESH = "Take fresh evidence for the patch as it is now: freezegate witness --refresh"
_RELOCK = "Write its line anew, in a patch of its own: freezegate lock PATH"
_OWN_PUSH = (
    "Put that change into a patch of its own, land it, then ask for the freeze on top of it."
)
_ASCII = "Name a regular file by its plain path from the repository's top, parts joined by `/`."

_TABLE: tuple[tuple[str, str, str], ...] = (
    # record: documents that the patch wrote
    (
        "record.missing_key",
        "A key that must be there is not.",
        "A record is written by freezegate witness, or removed where none is meant: git rm -f "
        "':/.freeze/record.json'. In any other file add the key; policy/schema/ has the form.",
    ),
    ("record.unknown_key", "A key that the format does not know.", "Remove or rename the key."),
    (
        "record.duplicate_key",
        "One object has the same key twice, so two readers may see two values.",
        "Keep one of the two.",
    ),
    (
        "record.wrong_type",
        "A value has another type or lies out of range.",
        "Write the type asked.",
    ),
    (
        "record.number_not_int",
        "A number that is no whole number, or one beyond 2^53.",
        "Write a whole number without point or exponent.",
    ),
    (
        "record.bad_encoding",
        "The bytes are not UTF-8 without a byte order mark, or are no JSON or TOML at all.",
        "Save the file as plain UTF-8 and check its syntax.",
    ),
    (
        "record.bad_string",
        "A text holds characters that hide or steer, or is not in the form asked.",
        "Write the text in the form asked, without control and format characters.",
    ),
    ("record.too_large", "The file is larger than its format allows.", "Shorten it."),
    ("record.too_deep", "The document nests deeper than its format allows.", "Flatten it."),
    (
        "record.not_regular_file",
        "A file of freezegate's is a link, a submodule or a folder.",
        "Replace it by a regular file.",
    ),
    (
        "record.not_in_ledger",
        "The record asks for a freeze that no added ledger line asks for with the same values.",
        "Let freezegate write both: freezegate witness, or freezegate freeze on evidence.",
    ),
    (
        "record.missing",
        "A freeze is requested in the ledger, but the record does not ask for it.",
        "Write .freeze/record.json for this request.",
    ),
    (
        "record.contradicts_catalog",
        "Test, oracle or fixture are not those of the property's catalogue entry at the base.",
        "Use the catalogue's values, or change the catalogue in a patch of its own.",
    ),
    # digest
    ("digest.bad_format", "A digest or object id is not in its one whole form.", "Write it whole."),
    (
        "digest.mismatch",
        "The bytes do not have the digest that is claimed.",
        "Compute it again over the committed bytes: git cat-file blob HEAD:PATH | sha256sum",
    ),
    # path
    ("path.absolute", "A path that does not start at the repository's top.", _ASCII),
    ("path.dotdot", "A path that climbs with `..`.", _ASCII),
    ("path.dotgit", "A path that some system takes for git's own directory.", _ASCII),
    ("path.bad_char", "A path with characters that tools read as something else.", _ASCII),
    ("path.not_nfc", "A path that is not in Unicode normal form C.", _ASCII),
    ("path.empty", "An empty path names the whole tree, not a file.", _ASCII),
    ("path.not_canonical", "A path with an empty part, a `.` part or a trailing slash.", _ASCII),
    ("path.too_long", "A path longer than file systems take.", _ASCII),
    ("path.not_portable", "A name that some system reserves or trims.", _ASCII),
    ("path.symlink", "A symbolic link where a regular file must be.", _ASCII),
    ("path.gitlink", "A submodule where a regular file must be.", _ASCII),
    (
        "path.lfs_pointer",
        "The blob is a Git LFS pointer, so the gate cannot see the bytes that the test reads.",
        "Store this fixture in git itself: git lfs untrack PATH, then commit the file.",
    ),
    ("path.not_regular", "Something else than a regular file where one must be.", _ASCII),
    (
        "path.fold_collision",
        "Two paths are one for file systems that ignore case or normalise names.",
        "Rename one of the two.",
    ),
    (
        "path.ambiguous",
        "A tree object that no honest git writes: a name twice, wrong order or unknown mode.",
        "Make the tree anew: git read-tree HEAD && git write-tree",
    ),
    (
        "path.filtered",
        "Attributes rewrite this file at checkout, so tests may read other bytes than its blob.",
        "Give the path `-text -filter -ident` in .gitattributes, in a patch of its own.",
    ),
    (
        "path.unexpected",
        "A file under .freeze/ that nothing names.",
        "Remove it: git rm --cached PATH",
    ),
    # test
    ("test.bad_id", "The text is no pytest node id of one test.", "Write FILE::NAME or its like."),
    (
        "test.not_single",
        "The id selects a file, a class, a folder or a whole family of parameters.",
        "Name one test: pytest --collect-only -q FILE lists the ids.",
    ),
    (
        "test.not_found_at_base",
        "The test does not exist at the trusted base.",
        "Land the test first; only a test that stood before the patch may be frozen.",
    ),
    (
        "test.changed_in_patch",
        "The patch changes the test that it wants frozen, or a helper or fixture that it reaches.",
        _OWN_PUSH,
    ),
    (
        "test.lost",
        "A test of the base is gone; where it is frozen, its freeze stands for nothing.",
        "Bring the test back, or end its freeze: freezegate ledger lift FREEZE",
    ),
    (
        "test.moved",
        "A frozen test has another name or place; its freeze is for the old one.",
        "End it in the same patch (freezegate ledger void FREEZE), and witness the renamed test.",
    ),
    # runs
    (
        "runs.no_disagreement",
        "The two runs agree, so nothing shows that chance decided.",
        "All passed: there is nothing to freeze. All failed: repair the code or the fixture.",
    ),
    (
        "runs.no_base_disagreement",
        "The runs disagree on the candidate alone, so the patch itself may be the flake.",
        "Repair the patch; only what wavers on the base as well may be frozen.",
    ),
    ("runs.same_run", "One run is listed as two.", "Run the test again in a process of its own."),
    (
        "runs.exit_not_0_or_1",
        "An exit status that is neither passed (0) nor failed (1) is no observation.",
        "Repair what stopped the run, then run again.",
    ),
    (
        "runs.flag_contradicts_exit",
        "`passed` and the exit status say different things; only 0 is passed, only 1 is failed.",
        "Write down what was seen.",
    ),
    (
        "runs.outcome_not_executed",
        "The run executed no test: nothing collected, skipped or expected to fail.",
        "Run exactly the one test, without skips.",
    ),
    (
        "runs.not_isolated",
        "The runs overlap, or more than a fixture decides them: sockets, processes, files outside.",
        "Let `freezegate witness` make them, and keep sockets and other processes out of the test; "
        "let it write below `tmp_path` only.",
    ),
    (
        "runs.fixture_drift",
        "The fixture's bytes were not the same in all runs.",
        "Keep the test from writing its fixture; then run again.",
    ),
    (
        "runs.divergent_signatures",
        "The failures differ, so more than chance is at work.",
        "Isolate the runner; more runs will not help.",
    ),
    ("runs.seed_differs", "The runs of one window used several seeds.", _REFRESH),
    ("runs.counter_gap", "The numbers of the runs have gaps: some runs are not shown.", _REFRESH),
    ("runs.too_few", "Fewer runs than the policy asks for.", _REFRESH),
    ("runs.too_many", "More runs than the policy allows.", _REFRESH),
    # fixture
    (
        "fixture.changed_in_patch",
        "The patch changes the fixture whose bytes it wants frozen.",
        _OWN_PUSH,
    ),
    ("fixture.missing", "The fixture or its snapshot is not there.", "Commit it."),
    (
        "fixture.not_locked",
        "The lock at the base does not hold this fixture.",
        _RELOCK,
    ),
    (
        "fixture.lock_stale",
        "The lock says another digest than the fixture's bytes have: it was not kept up to date.",
        _RELOCK,
    ),
    (
        "fixture.not_guarded",
        "The fixture lies outside [fixtures] paths of the policy at the base.",
        "Use a fixture under those paths, or widen them in a patch of its own.",
    ),
    ("fixture.not_read", "No run opened the fixture.", "Name the file that the test reads."),
    (
        "fixture.undeclared",
        "The runs read a file that the patch changes and that no fixture declares.",
        "Declare the file as a fixture of the property.",
    ),
    # oracle
    (
        "oracle.missing_at_parent",
        "The oracle does not exist at HEAD^, so the patch may have written it.",
        "Land the oracle in a patch of its own first.",
    ),
    (
        "oracle.missing_at_base",
        "The oracle does not exist at the trusted base.",
        "Land the oracle in a patch of its own first.",
    ),
    (
        "oracle.not_regular_at_base",
        "The oracle at the trusted base is no regular file.",
        "Replace the link by the file itself in a patch of its own.",
    ),
    (
        "oracle.not_guarded",
        "The oracle lies outside [oracle] paths of the policy at the base.",
        "Use an oracle under those paths, or widen them in a patch of its own.",
    ),
    ("oracle.changed", "The patch changes the oracle that judges it.", _OWN_PUSH),
    (
        "oracle.blob_mismatch",
        "The oracle is not the blob that the record names, at HEAD^, at the base or now.",
        "Bring back the oracle of the trusted base, commit that, then take fresh evidence.",
    ),
    (
        "oracle.failed_on_snapshot",
        "The oracle's own tests fail on the snapshot.",
        "Repair the code: this is a stable violation, not a flake.",
    ),
    (
        "oracle.not_independent",
        "The frozen test is the oracle's only test, so it vouches for itself.",
        "Add a second test to the oracle, in a patch of its own.",
    ),
    # domain
    ("domain.changed", "The patch changes a file that decides what the oracle says.", _OWN_PUSH),
    (
        "domain.config_changed",
        "The patch changes configuration that decides what the oracle says or which bytes it sees.",
        _OWN_PUSH,
    ),
    ("domain.resolution_changed", "The patch changes what an import resolves to.", _OWN_PUSH),
    (
        "domain.bytecode",
        "Compiled code comes in beside a freeze, or the oracle imports some: nobody can read it.",
        "Take bytecode and extension modules out of the repository (git rm --cached PATH).",
    ),
    ("domain.startup_file", "The patch adds a file that runs at start-up.", "Remove it."),
    ("domain.cache_committed", "The patch commits a cache that changes runs.", "Remove it."),
    (
        "domain.not_static",
        "The oracle imports by computed names, so what decides it cannot be known.",
        "Import by literal names, in a patch of its own.",
    ),
    # judges
    ("judge.changed_with_freeze", "A patch that asks for a freeze changes its judges.", _OWN_PUSH),
    (
        "judge.change_alone",
        "The patch changes the files that will judge later patches.",
        "Nothing where this is meant: a reviewer should read this change.",
    ),
    (
        "judge.change_unapproved",
        "The judges change, and nobody but the author is known to have agreed.",
        "Let an owner of the policy review this change.",
    ),
    (
        "judge.invalid_new_policy",
        "The judges as the patch leaves them would not work.",
        "Repair the file at the place named.",
    ),
    (
        "judge.no_policy",
        "The trusted base has no .freeze/policy.toml, so nothing may be frozen.",
        "Adopt freezegate in a patch of its own: freezegate init, then land .freeze/.",
    ),
    (
        "judge.repair",
        "A judge or the ledger at the trusted base does not decode.",
        "Send a patch that changes those files alone, so that they decode, and keeps every "
        "intact ledger line.",
    ),
    # areas
    (
        "area.protected",
        "What is protected is never frozen.",
        "Keep the test red and repair the code; a person must look at this.",
    ),
    (
        "area.needs_human",
        "The patch touches protected code.",
        "Let a person review it, however green the checks are.",
    ),
    # budgets
    (
        "budget.exceeded",
        "More freezes than the policy allows.",
        "End one that is no longer needed: freezegate ledger list, then ledger lift FREEZE",
    ),
    (
        "budget.expiry_too_far",
        "The freeze would end too late, or its end is no sensible number.",
        "Choose an end within the policy's limits.",
    ),
    ("budget.expiry_missing", "The freeze has no end.", "Set expires_on to a date (UTC)."),
    ("budget.owner_missing", "Nobody owns the freeze.", "Name a person or a team in `owner`."),
    (
        "budget.id_not_catalogued",
        "The property is not in the catalogue at the trusted base.",
        "Add the property to .freeze/catalog.toml in a patch of its own.",
    ),
    (
        "budget.refreeze_without_new_evidence",
        "This key was frozen before, and nothing new was shown.",
        "Take fresh evidence; the request then names what it renews: freezegate witness --refresh",
    ),
    # ledger
    (
        "ledger.not_append_only",
        "The ledger does not begin with the ledger of the trusted base, byte for byte.",
        "Put the branch's own lines behind the target's: freezegate ledger rebase",
    ),
    ("ledger.bad_row", "A ledger line is not what its event asks for.", "Write the line anew."),
    (
        "ledger.conflict_markers",
        "The ledger holds merge conflict markers.",
        "Keep the target's lines first and the branch's own below, and drop the markers.",
    ),
    ("ledger.duplicate_row", "A ledger line stands there twice.", "Remove the second."),
    # evidence
    (
        "evidence.missing",
        "The evidence that this freeze needs is not there.",
        "Take it: freezegate witness --property ID --owner NAME --expires-on DATE",
    ),
    ("evidence.mismatch", "Evidence, record and ledger line contradict each other.", _REFRESH),
    ("evidence.incomplete", "Not every planned run was observed.", _REFRESH),
    (
        "evidence.stale_patch",
        "The evidence was taken for another patch: a file changed since, or it was copied.",
        _REFRESH,
    ),
    ("evidence.stale_domain", "What decides the oracle's answer changed since.", _REFRESH),
    ("evidence.stale_base", "The evidence was taken on a base that is too old.", _REFRESH),
    # mutes
    ("mute.unrecorded", "A test is silenced or weakened without a freeze.", "Undo that edit."),
    ("mute.wider_than_record", "More is silenced than the freeze covers.", "Narrow the marker."),
    ("mute.opaque", "The test code cannot be read with certainty.", "Write it plainly."),
    # freezes
    (
        "freeze.expired",
        "The freeze is past its end.",
        "Choose an end that lies ahead, or repair the test.",
    ),
    (
        "freeze.void",
        "The patch changes what an active freeze stands on.",
        "End it with freezegate ledger void FREEZE, and take its test's skip marker out.",
    ),
    ("freeze.stale_marker", "A marker stands whose freeze is over.", "Remove the marker."),
    # base
    (
        "base.none",
        "There is nothing that could judge: no trusted base was found.",
        "Name it: freezegate check --base origin/main (or FREEZEGATE_BASE=origin/main)",
    ),
    (
        "base.stale",
        "The target moved on in the same place, so the step is not clear any more.",
        "Rebase onto the target and take fresh evidence.",
    ),
    (
        "base.moved_on",
        "The target moved on since; the patch was judged as it would stand on it.",
        "Nothing, where it will be merged or rebased.",
    ),
    (
        "base.mismatch",
        "A base is named that does not belong to this step.",
        "Use the target's tip or one of its ancestors.",
    ),
    (
        "base.unverified",
        "The base is the best that is known here, not what the remote holds now.",
        "Fetch, and check again: git fetch",
    ),
    (
        "base.nothing_to_judge",
        "The candidate brings nothing that the base does not have.",
        "Nothing.",
    ),
    (
        "base.history_unavailable",
        "The history that the answer needs is cut off or rewritten here.",
        "Fetch it: git fetch --unshallow",
    ),
    (
        "base.bootstrap",
        "The first protected ref of a host: nothing stands there yet that could judge it.",
        "Nothing: from now on it judges what is pushed to it.",
    ),
    # refs
    ("ref.bad", "A ref that may not be pushed like this.", "Push to an ordinary branch."),
    (
        "ref.rewound",
        "The push would take commits away from a target, with all that they guard.",
        "Put the work on top of the target instead: git fetch, then git rebase onto it.",
    ),
    (
        "ref.deleted",
        "The push would delete a target; made anew, it would start without its judges.",
        "Keep the target. If it is to go, who protects it takes it out first: [base] targets of "
        "the policy, in a patch of its own; on a git host the administrator's `protected`.",
    ),
    (
        "ref.bad_name",
        "A ref name that steers terminals, ends a shell's word, or is no text.",
        "Name it with letters, digits and any of - _ . / : git push origin HEAD:refs/heads/NAME",
    ),
    (
        "ref.replace",
        "Replacement refs make git show other objects than those that are named.",
        "Leave refs/replace/ out of the push; a host takes none.",
    ),
    (
        "ref.alias",
        "The name is another name of some ref, so the push would move that one.",
        "Push to the ref itself.",
    ),
    (
        "ref.twin",
        "File systems that ignore case or normalise names take this for a protected ref.",
        "Push to the protected ref itself, or choose another name.",
    ),
    (
        "ref.in_the_way",
        "git holds no ref beside others below its name, so a protected one could not stand.",
        "Choose a name that neither is a folder of a protected one nor lies below one.",
    ),
    (
        "ref.stale",
        "The ref is not what it was when the push began.",
        "Fetch and push again: git fetch",
    ),
    (
        "ref.not_a_commit",
        "A protected ref holds commits; this object leads to none.",
        "Push a commit, or an annotated tag of one.",
    ),
    (
        "ref.no_parent",
        "A new protected ref needs a ref that can judge it.",
        "Ask the host's administrator to name it in [parents] of the settings.",
    ),
    (
        "ref.off_parent",
        "The new protected ref leaves out commits of its parent ref, with all that they guard.",
        "Make it at the parent's tip, or at a commit that was pushed to the parent as its tip; "
        "then push what comes on top.",
    ),
    (
        "ref.not_protected",
        "The host protects other refs; this one was not judged.",
        "Nothing.",
    ),
    # limits
    (
        "limits.too_many_refs",
        "One push moves more refs than the host takes.",
        "Push them in several parts.",
    ),
    (
        "limits.wall",
        "There was no answer within the host's time limit.",
        "Push less at once, or ask the host's administrator to raise [limits] wall_s.",
    ),
    (
        "limits.cpu",
        "The answer needed more processor time than the host's limit.",
        "Push less at once, or ask the host's administrator to raise [limits] cpu_s.",
    ),
    (
        "limits.memory",
        "The answer needed more memory than the host's limit.",
        "Push less at once, or ask the host's administrator to raise [limits] memory_mib.",
    ),
    (
        "limits.too_many_changes",
        "The step changes more entries than the limit.",
        "Split the patch, or raise [limits] max_changed_entries in a patch of its own.",
    ),
    (
        "limits.blob_too_large",
        "A file that must be read is larger than the limit.",
        "Use a smaller file.",
    ),
    (
        "limits.tree_too_large",
        "A folder with more entries than the limit.",
        "Spread the files over several folders.",
    ),
    # repository
    (
        "repository.unsupported",
        "This kind of repository or object store cannot be judged.",
        "Use a SHA-1 repository with plain refs, and run from inside it.",
    ),
    (
        "repository.object_missing",
        "An object that the answer needs is not in this repository.",
        "Fetch it: git fetch --refetch (in a partial clone, `git cat-file -e ID` is enough).",
    ),
    (
        "repository.not_found",
        "There is no git repository here.",
        "Run from inside the repository that is to be judged.",
    ),
    (
        "repository.no_settings",
        "The host's settings are missing or do not decode, so nothing is known to be protected.",
        "Tell the host's administrator: freezegate doctor --host REPOSITORY",
    ),
    ("repository.bad_revision", "The revision named does not exist.", "Name an existing one."),
    (
        "repository.index_unreadable",
        "The index cannot be judged: it has conflicts, or a form that is not known.",
        "Resolve the conflicts (git status), then check again.",
    ),
    (
        "repository.bad_place",
        "The temporary folder lies below files that pytest would read for the runs.",
        "Name another one: TMPDIR=/var/tmp freezegate witness ...",
    ),
    (
        "repository.dirty",
        "The work tree holds changes that are in no commit; runs are made on commits alone.",
        "Commit or stash them, then run again.",
    ),
    (
        "usage.error",
        "The command line, or what it names, cannot be acted upon.",
        "Do what the text says; freezegate VERB --help shows what can be said.",
    ),
    (
        "internal.interrupted",
        "The command was stopped before it had an answer.",
        "Run it again.",
    ),
    (
        "internal.system",
        "The system refused a file that the answer needs.",
        "Free disk space, or correct the permissions, then run it again.",
    ),
    (
        "internal.fault",
        "freezegate itself failed; closed by default, it refuses.",
        "Report this with the text above.",
    ),
)

REASONS: Mapping[str, Reason] = MappingProxyType({row[0]: Reason(*row) for row in _TABLE})
