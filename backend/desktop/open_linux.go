package desktop

// opener is the freedesktop program that knows the person's choices.
func opener(target string) (string, []string) { return "xdg-open", []string{target} }
