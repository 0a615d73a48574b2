package journal

import "path/filepath"

// dirOf returns the folder in which a temporary file for path must be created.
func dirOf(path string) string { return filepath.Dir(path) }
