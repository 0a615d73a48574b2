package desktop

// opener returns the freedesktop program that knows the user's default programs.
func opener(target string) (string, []string) { return "xdg-open", []string{target} }
