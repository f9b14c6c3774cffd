//go:build !linux

package changes

import "context"

type stat struct{}

// Read implements nothing here.
func Read(context.Context, *Layer) (List, error) { return List{}, ErrUnsupported }

// Apply implements nothing here.
func Apply(*Layer, []Change) (Report, error) { return Report{}, ErrUnsupported }

// Texts implements nothing here.
func (Change) Texts(*Layer, int64) (before, after *string, ok bool) { return nil, nil, false }

// TimesAlone implements nothing here.
func (Change) TimesAlone() bool { return false }

// Linked implements nothing here.
func (Change) Linked() bool { return false }

// Again implements nothing here.
func (*Layer) Again() (*Layer, error) { return nil, ErrUnsupported }

// Rewrite implements nothing here.
func (*Layer) Rewrite(string, string) error { return ErrUnsupported }

// Keep implements nothing here.
func (*Layer) Keep([]Aside) (string, error) { return "", ErrUnsupported }

// Touched implements nothing here.
func Touched(*Layer, []Change) []Change { return nil }

// LosesHidden implements nothing here.
func (List) LosesHidden(*Layer, string) (bool, error) { return false, nil }
