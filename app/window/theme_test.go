package main

import (
	"testing"

	"pilotfish/backend/protocol"
)

func TestGroundFollowsTheChosenTheme(t *testing.T) {
	t.Setenv("GTK_THEME", "Adwaita:dark")
	light, dark := ground(t.Context(), protocol.ThemeLight), ground(t.Context(), protocol.ThemeDark)
	if light.R <= dark.R {
		t.Errorf("light is %v, dark %v", light, dark)
	}
	if desktop := ground(t.Context(), protocol.ThemeSystem); *desktop != *dark {
		t.Errorf("on a dark desktop it is %v", desktop)
	}
}
