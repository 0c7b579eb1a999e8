"""What code recognizes in a sentence, in English, German, Chinese, French, Spanish.

A model understands far more. What is decided here is what must not depend on a
model: that a question moves nothing, that a door is opened only when it was named,
that no text claims an outcome. Where the tables know nothing, they say so, and the
caller takes the careful side.
"""
