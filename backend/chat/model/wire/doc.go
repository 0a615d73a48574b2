// Package wire has the two wire formats of hosted models: OpenAI's chat
// completions, which nearly everybody speaks, and Anthropic's messages. It
// writes a request and reads the streamed answer. It knows no network and no
// keys.
package wire
