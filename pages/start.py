"""Streamlit's command line, which learns here that app.py names its pages.

Streamlit takes a folder called pages/ for the older kind of app until the first session has run, and greets whoever comes
first by a link to a page with "Page not found" (streamlit.runtime.pages_manager.PagesManager).
"""

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

if __name__ == "__main__":
    PagesManager.uses_pages_directory = False
    cli.main(prog_name="streamlit")
