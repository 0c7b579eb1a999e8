"""The demo: a real Home Assistant, the paper's three scenes, and what they showed."""
