package protocol

// Overlay is the content of the overlay over a page while a task works on it.
type Overlay struct {
	Title string `json:"title"` // the task
	Step  string `json:"step"`  // what the task is doing now
	// Asks: the task asks the user something, and waits for the answer.
	Asks bool `json:"asks,omitempty"`
}
