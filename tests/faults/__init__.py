"""A home whose broker, hub, librarian and manager are killed again and again."""
