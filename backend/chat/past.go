package chat

// past is what a session that is loaded repeats of before.
type past struct{}

// take reports whether an update is a repetition.
func (p *past) take(u Update) bool {
	return u.Text != nil || u.Thought != nil || u.User != nil || u.Tool != nil || u.Plan != nil
}
