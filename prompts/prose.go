package prompts

import (
	"fmt"
	"strings"
)

// Denied is the result of a call that the user denied; reason is the user's own, or empty.
func Denied(reason string) string {
	const denied = "The user denied this call. Do not make it again."
	if reason = strings.TrimSpace(reason); reason == "" {
		return denied + " Ask what the user wants instead."
	}
	return denied + " The user says: " + reason
}

// BegunBefore is put below the denial of a call that was begun in an earlier run, and whose end is not known.
const BegunBefore = "\n[It was begun before, and may have had effects then: look before you go on.]"

// KeptInside is put below the result of a command that failed in the sandbox, when the user did not let it run outside;
// reason is the user's own, or empty.
func KeptInside(reason string) string {
	const kept = "\n[The user did not let it run outside the sandbox.]"
	if reason = strings.TrimSpace(reason); reason == "" {
		return kept
	}
	return kept + " The user says: " + reason
}

// RevisedStart begins the result of a call that a person changed before it ran.
const RevisedStart = "[The user changed this call. It ran as: "

// Revised is put above the result of a call that a person changed before it ran; arguments are those that it ran with.
func Revised(arguments string) string { return RevisedStart + arguments + "]\n" }

// Stopped is the result of a call that was begun and whose end is not known: its run or its process ended before.
func Stopped() string {
	return "This call was begun and stopped before its end. It may have had effects: look before you make it again."
}

// NotRun is the result of a call that was never run, because its run ended before.
func NotRun() string {
	return "This call was not run. Make it again if it is still needed."
}

// Unreadable is told of a call that could not be read where the chat does not say why any more.
func Unreadable() string { return "This call could not be read." }

// Hidden is in the place of a result that the user marked as not sent.
func Hidden() string { return "The user took this result out of what you see." }

// Lacks is what a model cannot do that has no sense for an image, or for a sound.
func Lacks(sound bool) string {
	if sound {
		return "cannot hear sounds"
	}
	return "cannot see images"
}

// Unseen is what a model that cannot see or hear it reads instead of an image or a sound of the user's turn.
func Unseen(path string, sound bool) string {
	if sound {
		return "[You cannot hear the sound " + path + ".]"
	}
	return "[You cannot see the image " + path + ".]"
}

// NoImage is what a model reads instead of an image that cannot be sent; why is a sentence.
func NoImage(why string) string { return "[An image is missing here: " + why + "]" }

// NotSeen is in a result below an image or a sound that was not sent to a model which cannot see or hear it.
func NotSeen(model string, sound bool) string {
	return "[It was not sent to " + model + ", which " + Lacks(sound) + ".]"
}

// Shortened is in an old result in the place of what is not sent any more, so that the conversation fits.
func Shortened(bytes int) string {
	return fmt.Sprintf("[%d%s", bytes, leftOutHere)
}

const leftOutHere = " bytes are left out here to save space. Make the call again, for a smaller part, " +
	"if you need them.]"

// IsShortened reports whether Shortened is in a result.
func IsShortened(result string) bool { return strings.Contains(result, leftOutHere) }

// Rewrite asks for the whole new text of a file, apart from the conversation; it is below the file and the request.
func Rewrite(path string) string {
	return "Write all of " + path + " as it is after this change, in one code block. Change nothing else."
}

// NotRightYet is put behind Rewrite or Create when what came was no other text.
const NotRightYet = " It is not right yet: something in it must change."

// LeftOut is put behind Rewrite when what came lacks a line.
func LeftOut(line string) string { return " Leave nothing else out: this line stays as well: " + line }

// Unwritten is the result of a change of a file for which no other text was found.
func Unwritten(path string) string {
	return "No change of " + path + " was found that the request asks for, so it stays as it is."
}

// AboutOthers follows the description of tools from MCP servers, if the request seems to be about what they know.
const AboutOthers = "The request seems to be about what these tools know, and not about files."

// Create asks for the text of a new file, apart from the conversation; it is below the request.
func Create(path string) string {
	return "Write the new file " + path + ", all of it, in one code block."
}

// Title asks a model for the title of a conversation.
func Title() string {
	return `Do not go on with the task. Write a title for this conversation: at most six words, on one line, without quotes, and nothing else.`
}

// Summarize asks a model to write down what is needed to go on without the beginning of a conversation.
func Summarize() string {
	return `Do not go on with the task now. The conversation so far will be left out to save space, and only what you write now is kept.
Write down in at most 15 short lines, without calling a tool: what I asked for and what was decided; which files were read or changed, and how they are now; what was found out; what is still open.
Keep names, paths, numbers and what I told you about myself or the task exactly as they were.`
}
