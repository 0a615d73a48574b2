package extension

import "io/fs"

// AxeScript is axe-core, the accessibility checker, as one classic script that
// makes a global `axe`. It returns ErrNotBuilt when the extension was not built
// before the app.
func AxeScript() (string, error) {
	script, err := fs.ReadFile(dist, "dist/axe.js")
	if err != nil {
		return "", ErrNotBuilt
	}
	return string(script), nil
}
