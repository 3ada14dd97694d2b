"""A run as a workbook, CSV, JSON Lines, HTML report, or Google Sheets."""
