"""What makes the pages of the documentation: code that is run, formulas, tables of theorems, tutorials."""
