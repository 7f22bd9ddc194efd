"""What a form of one of the viewer's own pages sends: plain fields, of a stated length."""

from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_BYTES = 200_000
MAX_FIELDS = 500


async def form_of(request: Request) -> dict[str, str]:
    """The fields of an urlencoded form; of a name that occurs twice, the last value.

    Raises `HTTPException`: 413 for more than `MAX_BYTES`, 400 for what is no such form.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise HTTPException(413)
    try:
        text = body.decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError as error:
        raise HTTPException(400) from error
    return dict(pairs)
