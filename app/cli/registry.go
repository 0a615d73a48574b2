package main

// registry are the commands of the browser, from the backend's registry.
func registry() []spec {
	b := func(s spec) spec { s.group = groupBrowser; return s }
	return []spec{
		b(spec{name: "goto", summary: "open a page in the tab", args: []arg{{name: "url", required: true, help: "the address"}}}),
		b(spec{name: "tab", summary: "bring a tab to the front", args: []arg{{name: "tab", required: true, help: "the tab"}}}),
		b(spec{name: "tabs", summary: "list the open tabs"}),
		b(spec{name: "text", summary: "print the text of the page", args: []arg{{name: "limit", kind: kindInt, flag: true, help: "at most so many characters"}}}),
	}
}
