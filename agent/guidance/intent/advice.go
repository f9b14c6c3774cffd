package intent

// Advice tells a small model, in a sentence after the message, what the message seems to want; empty if that is not
// clear, or if its form makes it clear already (see [Asks]).
func Advice(message string) string {
	if Of(message) != Question || Asks(message) {
		return ""
	}
	return "This seems to be a question: look and answer. Change files only if it asks for that."
}
