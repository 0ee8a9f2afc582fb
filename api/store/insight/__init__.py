"""What tools ask about an environment. Reading path: `counts`, `holdings`, and `insight` in front of them."""
