"""What every layer uses: types, the typed prompt, settings, errors, files; nothing here knows a language or a model."""
