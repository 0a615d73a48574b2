// Package frontend carries the built window in the app's binary.
package frontend

import "embed"

// Dist is the window as built by `npm run build`, under "dist". In a tree where
// nothing was built yet it holds only dist/.gitkeep.
//
//go:embed all:dist
var Dist embed.FS
