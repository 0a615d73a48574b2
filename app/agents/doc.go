// Package agents tests Pilotfish with real agents, as people install them, and a
// stand-in for the hosted model behind them. The tests have the build tag agents
// and run by `make test-agents`, which installs the agents; `make test` needs
// none of it.
package agents
