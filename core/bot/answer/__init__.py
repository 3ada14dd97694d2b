"""An answer quoted from passages, or an honest refusal."""
