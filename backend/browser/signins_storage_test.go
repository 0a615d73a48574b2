package browser

import (
	"testing"

	"pilotfish/backend/protocol"
)

// What a page at /login writes into its local storage, and what is read of it there, as
// text. One value is no well-formed UTF-16, one is long.
const (
	storing = `<script>if (location.pathname === '/login') for (const [k, v] of [['latin', 'v\u00e9"'], ['wide', '\u65e5\ud83d\ude00'], ['odd', 'a\ud800b\u0000'], ['', ' '], ['big', 'abc'.repeat(5000)]]) localStorage.setItem(k, v)</script>`

	storedItems = 5
	reading     = `Object.entries(localStorage).map(([k, v]) => [k, v.length > 99 ? v.length : escape(v)]).sort()`
	wantStored  = `[["","%20"],["big",15000],["latin","v%E9%22"],["odd","a%uD800b%00"],["wide","%u65E5%uD83D%uDE00"]]`
)

// localStorageOf opens a site in our browser and returns its local storage as text.
func localStorageOf(t *testing.T, ours *fixture, address string, seen chan string) string {
	t.Helper()
	if _, err := ours.Navigate(deadline(t), nobody, ours.first(t), address+"/below", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	<-seen
	got, err := ours.Evaluate(deadline(t), nobody, ours.first(t), reading)
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Value)
}
