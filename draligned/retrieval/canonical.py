"""One key for one page, however its address is written (HARD_CASES 18)."""

import ipaddress
import re
from urllib.parse import unquote

import idna

_PARTS = re.compile(
    r"(?s)\A(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?"
)
_TRIPLET = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ILLEGAL = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
_PORTS = {"http": 80, "https": 443}
_BREAKS = re.compile(r"[\t\r\n]+")
_NO_HOST = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")
"""What stands in no name of a host (WHATWG's forbidden code points)."""


def canonical_key(url: str) -> str:
    """The key of the page at `url`: equal for all spellings that name the same page.

    Percent codes in upper case, unreserved characters decoded and nothing else, the host in
    lower case and as punycode (also one that was encoded byte for byte), no default port, no
    fragment, no line break or tab. Reserved characters (`%2F`) and
    codes that are no UTF-8 stay as they are; the order of a query counts. What is no http
    address is its own key, without the blanks around it.
    """
    text = unbroken(url)
    found = _PARTS.match(text)
    scheme, authority, path, query = found.group(1, 2, 3, 4) if found else (None,) * 4
    if scheme is None or scheme.lower() not in _PORTS or not authority:
        return text
    place = _authority(authority, _PORTS[scheme.lower()])
    steps = _without_dots(normal_percent(path or "")) or "/"
    return f"{scheme.lower()}://{place}{steps}{normal_percent(query or '')}"


def unbroken(url: str) -> str:
    """An address without the blanks around it, nor the line breaks and tabs that browsers drop."""
    return _BREAKS.sub("", url.strip())


def normal_percent(text: str) -> str:
    """`text` with what may not stand in an address encoded and every code in its one form."""
    encoded = _ILLEGAL.sub(lambda found: _encode(found.group()), text)
    return _TRIPLET.sub(lambda found: _one_form(found.group(1)), encoded)


def host_key(host: str) -> str:
    """A host in lower case, as punycode, without a final dot; unchanged where it is none."""
    if host.startswith("["):
        return _six(host.lower())
    plain = _spelt_out(host).removesuffix(".").lower()
    if plain.isascii():
        return plain
    try:
        return idna.encode(plain, uts46=True).decode("ascii").removesuffix(".")
    except idna.IDNAError:
        return plain


def _spelt_out(host: str) -> str:
    """A host without percent codes; as it was where they are none of a name."""
    if "%" not in host:
        return host
    try:
        name = unquote(host, errors="strict")
    except UnicodeDecodeError:
        return host
    return host if _NO_HOST.search(name) else name


def _six(host: str) -> str:
    try:
        return f"[{ipaddress.IPv6Address(host.strip('[]')).compressed}]"
    except ValueError:
        return host


def _authority(authority: str, default: int) -> str:
    user, at, place = authority.rpartition("@")
    host, colon, port = place.rpartition(":")
    if not colon or (port and not (port.isascii() and port.isdigit())):
        host, port = place, ""
    number = port.lstrip("0")
    shown = "" if number in ("", str(default)) else f":{number}"
    return f"{user}{at}{host_key(host)}{shown}"


def _encode(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _one_form(digits: str) -> str:
    byte = int(digits, 16)
    return chr(byte) if byte in _UNRESERVED else f"%{byte:02X}"


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept) if segments else ""
