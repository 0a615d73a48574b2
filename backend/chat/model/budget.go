package model

import (
	"slices"

	"pilotfish/backend/chat/model/wire"
	"pilotfish/backend/protocol"
)

const (
	// hostedTokens and localTokens are how long a prompt may be, in tokens: below
	// what hosted models take, and what servers on this machine are usually started
	// with. A model that takes less says so, and the budget shrinks.
	hostedTokens = 100_000
	localTokens  = 24_000
	// minTokens is the smallest budget that is tried.
	minTokens = 3_000
	// pictureTokens is about what one picture takes.
	pictureTokens = 1_500
	// keptPictures is how many of the last pictures a model is sent.
	keptPictures = 3
	// bytesPerToken is the usual measure, until the provider says what a prompt took.
	bytesPerToken = 3.5
)

// budget is how long a prompt may be.
type budget struct {
	tokens int
	per    float64 // bytes per token
	sent   int     // about how many bytes the last prompt had
	begun  bool    // the model was told that the beginning is left out
}

func newBudget(provider protocol.LLMProvider) budget {
	switch provider {
	case protocol.LLMOllama, protocol.LLMLMStudio, protocol.LLMLlamaCpp:
		return budget{tokens: localTokens, per: bytesPerToken}
	case protocol.LLMAnthropic, protocol.LLMOpenAI, protocol.LLMGoogle, protocol.LLMAzure, protocol.LLMOpenRouter, protocol.LLMMistral,
		protocol.LLMGroq, protocol.LLMDeepSeek, protocol.LLMQwen, protocol.LLMCompatible:
	}
	return budget{tokens: hostedTokens, per: bytesPerToken}
}

// learn takes in what the last request took, in tokens.
func (b *budget) learn(tokens int) {
	if tokens > 500 && b.sent > 0 {
		b.per = min(max(float64(b.sent)/float64(tokens), 1.5), 5)
	}
}

// shrink is for a model that takes less; false when there is no less.
func (b *budget) shrink() bool {
	b.tokens /= 2
	return b.tokens >= minTokens
}

// bytes is how many bytes a prompt may have.
func (b *budget) bytes() int { return int(float64(b.tokens) * b.per) }

// weight is about how many bytes a message has.
func (b *budget) weight(m wire.Message) int {
	picture := int(pictureTokens * b.per)
	n := len(m.Text) + len(m.Images)*picture + len(m.Thinking.Text)
	for _, block := range m.Thinking.Blocks {
		n += len(block)
	}
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Input)
	}
	for _, r := range m.Results {
		n += len(r.Text) + len(r.Images)*picture
	}
	return n
}

// fit makes messages fit beside what else the request has: old results are left
// out first, then old turns, then the last results. Those from now on are of this
// turn. It says whether something was left out, and changes no message of the
// caller's. Once something has to go, as much goes that the next requests fit,
// too: a prompt that changes at its beginning is not read from a provider's cache.
func (b *budget) fit(list []wire.Message, now, beside int) (fitted []wire.Message, begins int, left bool) {
	list = slices.Clone(list)
	pictures(list)
	total := beside
	for _, m := range list {
		total += b.weight(m)
	}
	defer func() { b.sent = total }()
	most := b.bytes()
	if total <= most {
		return list, now, false
	}
	goal := most * 7 / 10
	last := len(list) - 1
	for i := range last {
		if total <= goal {
			break
		}
		total -= b.empty(&list[i])
	}
	for total > goal && now > 0 {
		n := 1
		for n < now && list[n].Role != wire.User {
			n++
		}
		for _, m := range list[:n] {
			total -= b.weight(m)
		}
		list, now = list[n:], now-n
		if !b.begun {
			b.begun = true
			list[0].Text = "[The beginning of this conversation was left out.]\n\n" + list[0].Text
		}
	}
	if total > most {
		total -= b.empty(&list[len(list)-1])
	}
	return list, now, true
}

// empty leaves the results of a message out, and returns how much that saved.
func (b *budget) empty(m *wire.Message) (saved int) {
	if m.Role != wire.Results {
		return 0
	}
	before := b.weight(*m)
	m.Results = slices.Clone(m.Results)
	for i := range m.Results {
		if r := &m.Results[i]; len(r.Text)+len(r.Images) > len(leftOut) {
			r.Text, r.Images = leftOut, nil
		}
	}
	return before - b.weight(*m)
}

// pictures leaves out all pictures but the last.
func pictures(list []wire.Message) {
	kept := 0
	keep := func(images []wire.Image, text *string) []wire.Image {
		n := min(len(images), keptPictures-kept)
		kept += n
		if n < len(images) {
			*text += "\n(An older picture was left out.)"
		}
		return images[len(images)-n:]
	}
	for i := range slices.Backward(list) {
		m := &list[i]
		m.Images = keep(m.Images, &m.Text)
		m.Results = slices.Clone(m.Results)
		for j := range slices.Backward(m.Results) {
			r := &m.Results[j]
			r.Images = keep(r.Images, &r.Text)
		}
	}
}
