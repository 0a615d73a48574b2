package model

import (
	"slices"

	"pilotfish/backend/chat/model/wire"
	"pilotfish/backend/protocol"
)

const (
	// hostedTokens and localTokens are the greatest length of a prompt, in
	// tokens. They are below what hosted models accept, and below the usual
	// setting of servers on this machine. If a model accepts less, it returns
	// an error, and the budget shrinks.
	hostedTokens = 100_000
	localTokens  = 24_000
	// minTokens is the smallest budget that is tried.
	minTokens = 3_000
	// pictureTokens is about how many tokens one image takes.
	pictureTokens = 1_500
	// keptPictures is how many of the latest images are sent to a model.
	keptPictures = 3
	// bytesPerToken is the usual ratio, used until the provider reports the
	// tokens of a prompt.
	bytesPerToken = 3.5
)

// budget bounds the length of a prompt.
type budget struct {
	tokens int
	per    float64 // bytes per token
	sent   int     // the approximate size of the last prompt, in bytes
	begun  bool    // the model was informed that the beginning was left out
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

// learn updates the bytes per token from the number of tokens of the last
// request.
func (b *budget) learn(tokens int) {
	if tokens > 500 && b.sent > 0 {
		b.per = min(max(float64(b.sent)/float64(tokens), 1.5), 5)
	}
}

// shrink halves the budget for a model that accepts less; it returns false when
// the budget would become too small.
func (b *budget) shrink() bool {
	b.tokens /= 2
	return b.tokens >= minTokens
}

// bytes returns how many bytes a prompt may have.
func (b *budget) bytes() int { return int(float64(b.tokens) * b.per) }

// weight returns the approximate size of a message in bytes.
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

// fit shortens the messages so that they fit together with the rest of the
// request (beside, in bytes). It first leaves out old results, then old turns,
// then the last results. The messages from now on belong to this turn. fit
// reports whether something was left out, and does not change the caller's
// messages. Once it has to leave something out, it leaves out enough for the
// next requests to fit, too: a prompt that changes at its beginning is not read
// from the provider's cache.
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

// empty leaves out the results of a message, and returns how many bytes that
// saved.
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

// pictures leaves out all images but the last ones.
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
