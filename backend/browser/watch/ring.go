package watch

// Ring keeps the last things of a kind.
type Ring[T any] struct {
	Items   []T
	Limit   int // of Items
	Dropped int // how many are gone
}

// Add adds one, and drops the oldest where there is no room.
func (r *Ring[T]) Add(v T) {
	if len(r.Items) >= r.Limit {
		n := max(1, r.Limit/10) // a tenth at once, so that it is not moved for each
		r.Items = append(r.Items[:0:0], r.Items[n:]...)
		r.Dropped += n
	}
	r.Items = append(r.Items, v)
}
