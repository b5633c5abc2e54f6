"""Long trials of what must not break: random damage, kills, full disks. Each module is one kind of trouble."""
