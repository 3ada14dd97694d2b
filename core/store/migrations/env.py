"""Alembic's environment: runs the migrations on the connection that `core.store.database` opened."""

from alembic import context

from core.store.schema import METADATA

opened = context.config.attributes["connection"]
context.configure(connection=opened, target_metadata=METADATA, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
