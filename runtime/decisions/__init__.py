"""A decision (`decide`) and its proof (`explain`)."""
