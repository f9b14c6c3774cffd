package agent

import (
	"cmp"
	"fmt"
)

// againBlock is the name of the context block that says how another answer is made, or why it may be the same. It is
// not sent.
const againBlock = "asked again"

// anotherTemperature makes another answer where a profile says 0: some variety, and calls stay well-formed.
const anotherTemperature = 0.5

// vary sees to it that a question which is asked again is answered in another way, as far as the user did not choose
// how tokens are picked themselves, and says so in the document: at temperature 0, or with a seed, the same request
// gives the same reply.
func (c *loop) vary() {
	if !c.job.Options.Another {
		return
	}
	sampling := c.Sampling.Over(c.Profile.Sampling)
	chosen := cmp.Or(c.Temperature, c.Sampling.Temperature)
	said := ""
	switch temperature := cmp.Or(chosen, sampling.Temperature); {
	case temperature != nil && *temperature == 0 && chosen == nil:
		c.Temperature = new(anotherTemperature)
		said = fmt.Sprintf(
			"With temperature %v this once: at 0, which the profile of %s says, the answer would be the same.",
			anotherTemperature, c.Model.Name,
		)
	case temperature != nil && *temperature == 0:
		said = "The answer may be the same, word for word: the chat or your settings say temperature 0."
	case sampling.Seed != nil:
		said = fmt.Sprintf(
			"The answer may be the same, word for word: the chat or your settings say seed %d.", *sampling.Seed,
		)
	}
	if said != "" && !holds(c.job.Document, againBlock, said) {
		c.note(againBlock, said)
	}
}
