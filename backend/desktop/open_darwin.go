package desktop

// opener is macOS's own.
func opener(target string) (string, []string) { return "/usr/bin/open", []string{target} }
