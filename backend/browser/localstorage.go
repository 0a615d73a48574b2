package browser

import (
	"context"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/localstorage"
)

// WriteStorage adds items to the local storage of the profile, and returns how many of them
// arrived exactly.
func (b *Browser) WriteStorage(ctx context.Context, a localstorage.Area) (int, error) {
	return b.localStorage().Write(ctx, a)
}

// ClearStorage removes everything that an origin has in local storage.
func (b *Browser) ClearStorage(ctx context.Context, origin string) (int, error) {
	return b.localStorage().Clear(ctx, origin)
}

func (b *Browser) localStorage() *localstorage.Store {
	return &localstorage.Store{Conn: func() (*devtools.Conn, error) {
		r, err := b.running()
		if err != nil {
			return nil, err
		}
		return r.conn, nil
	}}
}
