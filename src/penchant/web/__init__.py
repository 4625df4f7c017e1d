"""The web app."""

from penchant.web._app import create_app
from penchant.web._server import run_server
from penchant.web.security._access import add_api_token, add_owner_link
from penchant.web.security._passwords import hash_password

__all__ = [
    "add_api_token",
    "add_owner_link",
    "create_app",
    "hash_password",
    "run_server",
]
