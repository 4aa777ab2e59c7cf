"""Decisions on facts."""
