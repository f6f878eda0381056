"""Bytes in plans and messages, as `FileContent` of the plan crate has them."""

import base64

from airtcp.plans.types.plan import PlanFileContent


def content_of(data: bytes) -> PlanFileContent:
    """Bytes as a content: text if they are UTF-8, else base64 (RFC 4648, section 4)."""
    try:
        return {"kind": "text", "text": data.decode()}
    except UnicodeDecodeError:
        return {"kind": "base64", "base64": base64.b64encode(data).decode()}


def content_bytes(content: PlanFileContent) -> bytes:
    """The bytes of a content."""
    return content["text"].encode() if content["kind"] == "text" else base64.b64decode(content["base64"])
