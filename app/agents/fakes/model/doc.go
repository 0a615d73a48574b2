// Package model is a stand-in for a hosted language model, which cannot be had
// offline: an HTTP server on the loopback interface that speaks the Messages API
// of Anthropic, the Chat Completions API of OpenAI and the API of Gemini,
// streaming and whole, as real agents use them. What it answers is a script of
// the test's own; what it is asked it checks as strictly as the hosted ones do,
// and keeps.
//
//	m := model.New(model.Steps(
//		model.Reply{Calls: []model.Call{{Name: "browser_tabs", Input: map[string]any{}}}},
//		model.Reply{Text: "You have one tab."},
//	))
//	defer m.Close()
//	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+m.URL(), "ANTHROPIC_API_KEY="+model.Key)
package model
