package question

// keeps says what is done with the user's secrets.
func (s *say) keeps() string {
	s.said = append(s.said, "do")
	switch s.arg("do") {
	case "add":
		return "add the secret " + s.quote("name")
	case "remove":
		return "remove the secret " + s.quote("name")
	}
	return "list the names of your secrets"
}

// signIns says what is done with the sign-ins of other browsers.
func (s *say) signIns() string {
	s.said = append(s.said, "do")
	switch s.arg("do") {
	case "import":
		return "import sign-ins from another browser"
	case "remove":
		return "remove imported sign-ins"
	}
	return "list the sites of your other browsers"
}

// secret says which of the user's secrets would be used, and where.
func (s *say) secret() string {
	if s.a.Target == nil && s.arg("target") == "" {
		return "use the secret " + s.quote("secret")
	}
	return "use the secret " + s.quote("secret") + " in " + s.element()
}

// stored says what is done with cookies or stored data.
func (s *say) stored(what string) string {
	s.said = append(s.said, "do")
	switch s.arg("do") {
	case "", "list", "get":
		return "read " + what
	case "set":
		return "change " + what
	}
	return "delete " + what
}
