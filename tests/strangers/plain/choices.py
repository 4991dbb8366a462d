"""What the documents leave open, and on which side of it this server stands. The first side of each is the usual one."""

from collections.abc import Mapping
from pathlib import Path

SIDES: Mapping[str, tuple[str, ...]] = {
    # Questions and answers
    "form": ("enum", "boolean", "commands", "no_way_back", "own_language", "enum_names"),
    "seal": ("state", "key"),
    "days_asked": ("figures", "words"),
    "unclear_answer": ("question", "declined", "invalid"),
    "explicit_no": ("declined", "question", "invalid"),
    "malformed_answer": ("invalid", "question", "declined"),
    "long_state": ("asked", "http"),
    "used_and_expired": ("asked", "replayed"),
    "other_token": ("runs", "asked"),
    "nobody_with_forms": ("refused", "asked"),
    "register_down_at_question": ("asked", "unavailable"),
    "missing_record": ("asked", "not_found"),
    # Tools
    "listing": ("everything", "permitted"),
    "not_allowed": ("error_result", "invalid_params", "http"),
    "rights": ("checked", "left_to_the_api"),
    "bad_arguments": ("error_result", "invalid_params"),
    "further_arguments": ("refused", "ignored"),
    "unknown_tool_2025": ("invalid_params", "error_result"),
    "other_tools": ("none", "another_product"),
    "schemas": ("whole", "in_parts"),
    "deletions": ("offered", "none"),
    "crowd": ("served", "put_off"),
    "download": ("document", "words", "link", "beside_another"),
    "check_with": ("bare", "with_advice"),
    "odd_keys": ("refused", "sent"),
    # Documents, prompts, completions
    "spellings": ("not_found", "served"),
    "long_id": ("not_found", "http", "http_with_error"),
    "not_found_data": ("address", "with_request"),
    "me_document": ("whole", "named"),
    "since_empty": ("invalid", "a_week"),
    "months": ("over", "running"),
    "unknown_argument": ("invalid", "empty"),
    # The protocol
    "handshake": ("current", "before_headers"),
    "listen": ("refused", "acknowledged"),
    "missing_meta": ("invalid", "mismatch"),
    "batch": ("error", "http"),
    "no_json": ("error", "http"),
    "other_version": ("mismatch", "unknown"),
    "error_status": ("bad_request", "ok"),
    "log_line": ("call", "headers"),
    "other_verbs": ("not_allowed", "not_found"),
}


class Choices:
    """The sides that were chosen: `name:side`, with commas between them; all others are the usual ones.

    Where a `log` is given, every choice that made a difference is written there once. Raises ValueError for a choice
    that there is none of.
    """

    def __init__(self, text: str = "", log: Path | None = None) -> None:
        self._log = log
        self._told: set[str] = set()
        self._chosen: dict[str, str] = {}
        for choice in filter(None, text.split(",")):
            name, _, side = choice.partition(":")
            if side not in SIDES.get(name, ()):
                raise ValueError(f"there is no choice {choice}")
            self._chosen[name] = side

    def stands(self, name: str) -> str:
        """The side on which a question falls whenever it comes up."""
        return self._chosen.get(name, SIDES[name][0])

    def of(self, name: str) -> str:
        """The same, where the question has come up: from here on the sides differ."""
        side = self.stands(name)
        if side != SIDES[name][0] and name not in self._told:
            self._told.add(name)
            if self._log is not None:
                with self._log.open("a") as log:
                    log.write(f"{name}:{side}\n")
        return side


USUAL = Choices()
