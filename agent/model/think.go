package model

import "fmt"

// Think says how much a model that can think does so before it answers; empty leaves it to the model server.
type Think string

// How much a model thinks. The levels are for models that know them; others take each as on.
const (
	ThinkOff    Think = "off"
	ThinkOn     Think = "on"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// UnmarshalTOML reads it as it is in a file of profiles: true, false or a level.
func (t *Think) UnmarshalTOML(value any) error {
	switch value {
	case true, string(ThinkOn):
		*t = ThinkOn
	case false, string(ThinkOff):
		*t = ThinkOff
	case string(ThinkLow), string(ThinkMedium), string(ThinkHigh):
		*t = Think(value.(string))
	default:
		return fmt.Errorf(`think may be true, false, "low", "medium" or "high", not %v`, value)
	}
	return nil
}
