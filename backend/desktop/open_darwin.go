package desktop

// opener returns macOS's own opener.
func opener(target string) (string, []string) { return "/usr/bin/open", []string{target} }
