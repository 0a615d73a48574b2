// Package model is a fake of a hosted language model, for tests without a
// network. It is an HTTP server on the loopback interface that speaks Anthropic's
// Messages API, OpenAI's Chat Completions API and the Gemini API as real agents
// use them, with and without streaming. A script of the test supplies the
// answers. The server checks requests as strictly as the hosted APIs do, and
// records them.
//
//	m := model.New(model.Steps(
//		model.Reply{Calls: []model.Call{{Name: "browser_tabs", Input: map[string]any{}}}},
//		model.Reply{Text: "You have one tab."},
//	))
//	defer m.Close()
//	cmd.Env = append(cmd.Env, "ANTHROPIC_BASE_URL="+m.URL(), "ANTHROPIC_API_KEY="+model.Key)
package model
