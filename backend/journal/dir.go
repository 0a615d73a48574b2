package journal

import "path/filepath"

// dirOf is the folder that a temporary file for path must stand in.
func dirOf(path string) string { return filepath.Dir(path) }
