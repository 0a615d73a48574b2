// Package wire has the two wire formats of hosted models: OpenAI's chat
// completions, which nearly every provider supports, and Anthropic's messages.
// It encodes a request and reads the streamed answer. It knows nothing of the
// network or of keys.
package wire
