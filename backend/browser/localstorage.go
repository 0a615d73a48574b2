package browser

import (
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/localstorage"
)

// LocalStorage returns what writes into the local storage of a browser's profile.
func LocalStorage(b *Browser) *localstorage.Store {
	return &localstorage.Store{Conn: func() (*devtools.Conn, error) {
		r, err := b.running()
		if err != nil {
			return nil, err
		}
		return r.conn, nil
	}}
}
