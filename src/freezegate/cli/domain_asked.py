"""What `freezegate domain PROPERTY` stands for at one revision, or why that cannot be said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from freezegate.errors import InvalidValue, UsageError
from freezegate.model.paths import RepoPath, shown_path

if TYPE_CHECKING:
    from freezegate.git.domain_view import DomainView
    from freezegate.model.catalog import Catalog, Property
    from freezegate.policy.facts import Document
    from freezegate.policy.settings import Policy

_LISTING = "git ls-tree -r --full-tree --name-only"


class Asked(NamedTuple):
    """An oracle, its catalogue entry where it was asked for by that, and the locked fixture."""

    entry: Property | None
    oracle: RepoPath
    fixture: RepoPath | None


def policy_of(view: DomainView, revision: str) -> Policy:
    """Return the policy of a revision; raises UsageError where it has none that decodes."""
    document = view.judges.policy
    _refuse_damaged(document, revision)
    if document.value is None:
        msg = (
            f"no .freeze/policy.toml at {revision}; expected one, since it says what the subject "
            "is; freezegate init, then commit it, or name another commit with --rev"
        )
        raise UsageError(msg)
    return document.value


def find_asked(view: DomainView, text: str, fixture: str | None, revision: str) -> Asked:
    """Return what a property's id, or the path of an oracle, stands for; raises UsageError."""
    entry = None if "/" in text else _entry(view, text, revision)
    oracle = entry.oracle if entry else _path(text)
    if not view.is_file(oracle):
        whose = f", the oracle of {entry.property_id}," if entry else ""
        msg = (
            f"{oracle}{whose} is no regular file at {revision}; expected an oracle, by its path "
            f"from the repository's top; {_LISTING} {revision} lists what is there"
        )
        raise UsageError(msg)
    return Asked(entry, oracle, _fixture(view, entry, fixture, revision))


def _entry(view: DomainView, text: str, revision: str) -> Property | None:
    """Return the catalogue's entry, None where the text is the path of a file at the top."""
    document = view.judges.catalog
    _refuse_damaged(document, revision)
    catalog = document.value
    known = {str(name): entry for name, entry in catalog.properties.items()} if catalog else {}
    if text in known:
        return known[text]
    if text.endswith(".py"):
        return None
    raise UsageError(_unknown(text, catalog, revision))


def _unknown(text: str, catalog: Catalog | None, revision: str) -> str:
    from difflib import get_close_matches

    by_path = "an oracle's path works too: freezegate domain tests/properties/test_NAME.py"
    if catalog is None:
        return f"no property {text!a}: there is no .freeze/catalog.toml at {revision}; {by_path}"
    drafts = {str(name): entry for name, entry in catalog.proposed.items()}
    if text in drafts:
        return (
            f"{text} is proposed at {revision} and counts for nothing yet; until it is accepted "
            f"ask by its oracle: freezegate domain {drafts[text].oracle}"
        )
    near = get_close_matches(text, [str(name) for name in catalog.properties], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"no property {text!a} in .freeze/catalog.toml at {revision}; {hint}{by_path}"


def _fixture(
    view: DomainView, entry: Property | None, text: str | None, revision: str
) -> RepoPath | None:
    if text is None:
        return entry.fixtures[0] if entry and entry.fixtures else None
    path = _path(text)
    if entry and path not in entry.fixtures:
        names = " or ".join(entry.fixtures)
        msg = f"{path} is no fixture of {entry.property_id} at {revision}; expected {names}"
        raise UsageError(msg)
    if entry is None and not view.is_file(path):
        msg = f"--fixture {path} is no regular file at {revision}"
        raise UsageError(msg)
    return path


def _path(text: str) -> RepoPath:
    try:
        return RepoPath(text)
    except InvalidValue as fault:
        msg = f"{fault.got} is no path from the repository's top: expected {fault.expected}"
        raise UsageError(msg) from None


def _refuse_damaged(document: Document[Any], revision: str) -> None:
    if document.fault:
        msg = (
            f"{shown_path(document.path)} at {revision} does not decode: {document.fault}; send a "
            "patch that repairs it and changes nothing else, or name another commit with --rev"
        )
        raise UsageError(msg)
