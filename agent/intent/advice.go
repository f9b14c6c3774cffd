package intent

// Advice is what a small model is told of a message, behind it: what it seems to want. Empty: nothing.
func Advice(message string) string {
	if Of(message) != Question {
		return ""
	}
	return "This seems to be a question: look and answer. Change files only if it asks for that."
}
