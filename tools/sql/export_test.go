package sql

import "context"

// Unchecked sends a statement whose words nobody looks at, to a database that was probed.
func Unchecked(s *Source, ctx context.Context, name, text string) error { //nolint:revive // as a method's
	d, err := s.find(name)
	if err != nil {
		return err
	}
	_, err = d.run(ctx, text)
	return err
}
