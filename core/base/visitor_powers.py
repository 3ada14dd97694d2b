"""What visitors may make this server do besides chats and judging, and which addresses its requests may not go to."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from core.base.errors import BadInput
from core.base.settings import Power, settings

# Where clouds serve keys to their machines, besides the link-local addresses
METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
METADATA_ADDRESSES = frozenset({"100.100.100.200", "fd00:ec2::254", "168.63.129.16"})


class _Server:
    """Whether this process serves pages to others than its owner."""

    open_to_others = False


def serve_address(address: str) -> None:
    """Set the address on which this process serves pages; "" is every address of the machine."""
    _Server.open_to_others = not _is_loopback(address)


def is_allowed(power: Power) -> bool:
    """Whether a visitor has the power: the owner on this machine has all, others those in KIKU_VISITOR_POWERS."""
    return not _Server.open_to_others or power in settings().visitor_powers


def require(power: Power) -> None:
    """Raises BadInput (`power_off`) if visitors do not have the power."""
    if not is_allowed(power):
        message = (
            f"This server can be reached by others, so “{power}” is off. Its owner can name it in KIKU_VISITOR_POWERS."
        )
        raise BadInput(message, "power_off", power=power)


def check_destination(url: str) -> None:
    """Raises BadInput (`metadata_address`) for a host that is, or is resolved to, a link-local or metadata address."""
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    if host in METADATA_HOSTS or any(_is_metadata(address) for address in _addresses(host)):
        message = (
            f"{host} is a link-local or metadata address of this machine's network. Use the address of a model server."
        )
        raise BadInput(message, "metadata_address", host=host)


def _is_metadata(address: str) -> bool:
    ip = ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None) or ip
    return mapped.is_link_local or mapped.is_unspecified or str(mapped) in METADATA_ADDRESSES


def _addresses(host: str) -> set[str]:
    """The addresses of a host in any notation (2852039166, 0xa9fea9fe); empty if it cannot be resolved."""
    try:
        return {str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return set()


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
