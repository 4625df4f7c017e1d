"""The web app."""

from penchant.web._app import create_app

__all__ = ["create_app"]
