"""The web app."""

from penchant.web._access import add_api_token
from penchant.web._app import create_app
from penchant.web._passwords import hash_password
from penchant.web._server import run_server

__all__ = ["add_api_token", "create_app", "hash_password", "run_server"]
