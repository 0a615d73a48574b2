package protocol

// ChatRouting is the table that selects a message's route, as Settings store
// it.
type ChatRouting struct {
	// Instant lets Pilot carry out at once what it understands completely,
	// whichever agent the conversation has.
	Instant bool `json:"instant"`
	// Strong are the words that call for the strong model; they always win. "…"
	// stands for any text between.
	Strong []string `json:"strong"`
	// LongText is the length in characters from which a message goes to the strong
	// model; 0 means never.
	LongText int `json:"longText"`
	// Models are the models of each agent.
	Models map[AgentKind]ChatModels `json:"models"`
}

// ChatModels are the models that an agent uses for the routes: a part of the
// name or id of one of its choices. Empty keeps the conversation's own model.
type ChatModels struct {
	Fast   string `json:"fast"`
	Strong string `json:"strong"`
}
