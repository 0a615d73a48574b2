package proc

// SetNotDumpable does nothing: macOS has no /proc, and lets only programs that the
// user entitled look into others.
func SetNotDumpable() error { return nil }
