"""What tests share: run folders, scenarios, campaigns and studies with known numbers, and programs to run."""
