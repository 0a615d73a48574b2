package protocol

// Mask is what the cover of a page says while a task works on it.
type Mask struct {
	Title string `json:"title"` // the task
	Step  string `json:"step"`  // what it does just now
	// Asks: the person is asked something, and nothing is done until they answer.
	Asks bool `json:"asks,omitempty"`
}
