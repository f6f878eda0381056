"""What commands that run the tests of others share: guests, their store, and JUnit."""
