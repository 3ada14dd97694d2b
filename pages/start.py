"""Starts Streamlit with the pages/ folder convention switched off, since app.py defines the menu.

With the convention on, Streamlit answers the first visitor who follows a link to a page with "Page not found", because
the menu is known only after the first session has run (streamlit.runtime.pages_manager.PagesManager).
"""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

if __name__ == "__main__":
    PagesManager.uses_pages_directory = False
    cli.main(prog_name="streamlit")
