"""May this skip stand? Pure decisions over facts."""
