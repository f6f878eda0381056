"""Plans as compiled: their types, and questions that several rooms have about them."""
