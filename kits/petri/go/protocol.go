// The protocol of petri: reads what an agent sees, asks `move` for an action, and writes it.
//
// Every agent is a process of its own, from its birth to its death: variables last as long as it
// does. Standard output belongs to the protocol: print to os.Stderr, which is kept in the replay.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Direction is a direction with its step: north is y - 1.
type Direction struct {
	Name   string
	DX, DY int
}

var directions = [8]Direction{
	{"north_west", -1, -1}, {"north", 0, -1}, {"north_east", 1, -1}, {"west", -1, 0},
	{"east", 1, 0}, {"south_west", -1, 1}, {"south", 0, 1}, {"south_east", 1, 1},
}

// Neighbor is a cell beside the agent.
type Neighbor struct {
	Energy  int    `json:"energy"`
	AgentID string `json:"agent_id"` // empty: nobody is there
	Inside  bool   `json:"-"`        // false: it lies outside of the world
}

// State is what an agent sees in a tick.
type State struct {
	Tick          int                 `json:"tick"`
	AgentID       string              `json:"agent_id"`
	X, Y          int                 `json:"-"`
	Energy        int                 `json:"energy"`
	Width, Height int                 `json:"-"`
	Neighbors     map[string]Neighbor `json:"neighbors"` // by direction
	Generation    int                 `json:"generation"`
	TimeoutMs     int                 `json:"timeout_ms"`
	Position      [2]int              `json:"position"`   // X and Y
	WorldSize     [2]int              `json:"world_size"` // Width and Height
}

// Free lists the directions in which there is room for a child.
func (s *State) Free() []string {
	var found []string
	for _, way := range directions {
		if cell := s.Neighbors[way.Name]; cell.Inside && cell.AgentID == "" {
			found = append(found, way.Name)
		}
	}
	return found
}

// Others lists the directions in which there is another agent, friend or foe.
func (s *State) Others() []string {
	var found []string
	for _, way := range directions {
		if s.Neighbors[way.Name].AgentID != "" {
			found = append(found, way.Name)
		}
	}
	return found
}

type answer struct {
	Action string `json:"action"`
	Target string `json:"target,omitempty"`
}

// Play answers every tick until the agent dies or the game is over. A move is "rest", "replicate",
// "die" or "attack north" (any direction).
func Play(move func(*State) string) {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		var state State
		if strings.TrimSpace(line) == "" || json.Unmarshal([]byte(line), &state) != nil {
			continue
		}
		state.X, state.Y = state.Position[0], state.Position[1]
		state.Width, state.Height = state.WorldSize[0], state.WorldSize[1]
		if state.Neighbors == nil {
			state.Neighbors = map[string]Neighbor{}
		}
		for _, way := range directions {
			cell := state.Neighbors[way.Name]
			x, y := state.X+way.DX, state.Y+way.DY
			cell.Inside = x >= 0 && x < state.Width && y >= 0 && y < state.Height
			state.Neighbors[way.Name] = cell
		}
		action, target, _ := strings.Cut(move(&state), " ")
		said, _ := json.Marshal(answer{action, target})
		fmt.Println(string(said))
	}
}

// This agent's file; it is gone when the agent is.
func memoryPath() string {
	if path := os.Getenv("AGENT_MEMORY"); path != "" {
		return path
	}
	return "/tmp/agents/" + os.Getenv("AGENT_ID") + ".json"
}

// What was written to the agent's file; nothing at first.
func readMemory() string {
	text, _ := os.ReadFile(memoryPath())
	return string(text)
}

// Keeps a text of up to 1 MiB in the agent's file.
func writeMemory(text string) error {
	return os.WriteFile(memoryPath(), []byte(text), 0o600)
}
