"""Recipes: how an app on a phone is driven, and what it may be driven to do.

The hub compiles a recipe's YAML to JSON (`compile`); the phone runs that JSON
and nothing else, and a lease names its digest. Both use the same model.
"""
