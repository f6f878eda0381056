"""Cases of test suites of others, each in a guest of its own: how they end, what is known of them, JUnit."""
