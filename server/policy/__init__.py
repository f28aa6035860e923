"""What needs a person: decided on facts that the model cannot set. `rule_policy` is the way in."""
