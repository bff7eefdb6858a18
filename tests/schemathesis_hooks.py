"""What tests/schemathesis has to be told beside the OpenAPI document, because no schema
can say it."""

import re
import uuid

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    headers = case.headers or {}
    # A key that was used for another body is refused: each request has one of its own.
    if re.fullmatch("[0-9A-Za-z_-]{1,36}", str(headers.get("Idempotency-Key", ""))):
        headers["Idempotency-Key"] = str(uuid.uuid4())
    # A name is of characters that can be seen. What is too long, or no text, stays.
    name = case.body.get("name") if isinstance(case.body, dict) else None
    if case.path in ("/api/v1/guests", "/api/v1/teams") and isinstance(name, str) and 1 <= len(name) <= 200:
        case.body["name"] = as_a_name(name)
    # A browser that asks from another page gets no cookie.
    if case.path == "/api/v1/guests":
        headers.pop("Origin", None)
    if case.path == "/api/v1/matches" and isinstance(case.body, dict) and is_meant_well(case):
        agree(case.body)


def as_a_name(text):
    seen = "".join(letter for letter in text if letter.isascii() and letter.isprintable())
    return f"a{seen}"[:40]


def is_meant_well(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


def agree(wanted):
    """Takes away what does not go with the rest of a new match. Positions that cannot be are
    refused, and hardly any other is made up; tests of our own have some."""
    wanted.pop("start", None)
    if wanted["game"] != "omweso":
        wanted.pop("way", None)
    if wanted.get("way") in ("counting", "blitz"):
        wanted.pop("clock", None)
    if wanted.get("clock", {}).get("type") == "fischer" and not any(
        wanted["clock"][part] for part in ("initial", "increment")
    ):
        wanted.pop("clock")
    names = (wanted.get("teams") or {}).get("names", {})
    names.update({side: as_a_name(name) for side, name in names.items()})
    if wanted.get("rated"):
        wanted.pop("preview", None)
