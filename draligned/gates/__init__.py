"""Continue-or-stop rules: values that read one reply and say whether the loop ends (SI-13)."""
