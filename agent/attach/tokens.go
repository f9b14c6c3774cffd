package attach

// Tokens is about how many tokens a text takes: most models read some four bytes as one.
func Tokens(text string) int { return (len(text) + 3) / 4 }
