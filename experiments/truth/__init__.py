"""How true is what penchant says? Simulated people whose true utility is known."""
