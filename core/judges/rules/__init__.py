"""Rules of the embedded engine that several judges share."""
