package protocol

// ChatRouting is the table by which a message's route is chosen, as Settings
// have it.
type ChatRouting struct {
	// Instant lets Pilot do at once what it understands completely, whichever
	// agent the conversation has.
	Instant bool `json:"instant"`
	// Strong are the words that ask for comprehension: they always win. "…" stands
	// for anything between.
	Strong []string `json:"strong"`
	// LongText is from how many characters on a message goes to the strong model;
	// 0 is never.
	LongText int `json:"longText"`
	// Models are the models of each agent.
	Models map[AgentKind]ChatModels `json:"models"`
}

// ChatModels are the models that an agent uses for a route: a part of the name
// or id of one of its choices. Empty leaves the conversation's own.
type ChatModels struct {
	Fast   string `json:"fast"`
	Strong string `json:"strong"`
}
