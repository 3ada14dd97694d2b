"""What all judges read text with: amounts, signs, kinds of reply, wordings; Japanese, English, Chinese."""
