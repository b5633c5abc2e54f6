"""What a person writes about wheels, tyres, drive trains, soil, terrain and the driver's controls."""
