"""A product of many charts: installed and upgraded in order, with jobs around them."""
