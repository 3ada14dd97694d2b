"""Better prompts: variants of one prompt, chosen on one half of labelled rows and reported on the other."""
