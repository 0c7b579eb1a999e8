"""The actions that HearthNet offers, by what they are about."""
