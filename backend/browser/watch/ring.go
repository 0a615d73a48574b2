package watch

// Ring keeps the newest items of a list.
type Ring[T any] struct {
	Items   []T
	Limit   int // of Items; the largest number that is kept
	Dropped int // how many were dropped
}

// Add adds an item, and drops the oldest when there is no room.
func (r *Ring[T]) Add(v T) {
	if len(r.Items) >= r.Limit {
		n := max(1, r.Limit/10) // a tenth at once, so that the slice is not copied for each item
		r.Items = append(r.Items[:0:0], r.Items[n:]...)
		r.Dropped += n
	}
	r.Items = append(r.Items, v)
}
