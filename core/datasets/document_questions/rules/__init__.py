"""Questions from headings and tables by rules, in Japanese and English."""
