package question

// terminal says what `terminal` does. Its argument "terminal" is the description of the
// one that it means; it is missing for one of the caller's own tab.
func (s *say) terminal() string {
	which := "a terminal of its tab"
	if s.arg("terminal") != "" {
		which = s.quote("terminal")
	}
	do := s.arg("do")
	s.said = append(s.said, "do")
	switch {
	case do == "send" && s.arg("text") != "":
		return "type " + s.quote("text") + " into " + which
	case do == "send":
		return "press " + s.quote("keys") + " in " + which
	case do == "read" || do == "wait":
		return "read " + which
	}
	return "list " + which
}
