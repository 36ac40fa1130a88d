// The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
//
// Standard output belongs to the protocol: print to os.Stderr, which is kept in the replay.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

var colors = [4]string{"red", "blue", "green", "yellow"}

// Move is a card to play; a wild card also names the color to follow.
type Move struct {
	Card, Color string
}

type Opponent struct {
	ID    string `json:"id"`
	Cards int    `json:"cards"`
}

// State is what the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse),
// "y+2", "wd", "wd4".
type State struct {
	YourID           string     `json:"your_id"`
	Hand             []string   `json:"hand"`
	TopCard          string     `json:"top_card"`
	TopColor         string     `json:"top_color"`     // empty while a turned-up wild has none
	GameState        string     `json:"game_state"`    // "normal", "war_+2" or "war_wd4"
	StackedCards     int        `json:"stacked_cards"` // what passing in a war costs
	AlreadyPicked    bool       `json:"already_picked"`
	PickedCard       string     `json:"picked_card"`   // or empty
	OtherPlayers     []Opponent `json:"other_players"` // the next one first
	AvailableActions []string   `json:"available_actions"`
	PlayableCards    []string   `json:"playable_cards"`
	Notifications    []string   `json:"-"` // all since the game began: "player2 played b5"
}

// FavouriteColor is the color of most cards in the hand.
func (s *State) FavouriteColor() string {
	best, most := "", -1
	for _, color := range colors {
		count := 0
		for _, card := range s.Hand {
			if card[0] == color[0] {
				count++
			}
		}
		if count > most {
			best, most = color, count
		}
	}
	return best
}

func isWild(card string) bool {
	return strings.HasPrefix(card, "w")
}

// What a card costs if it is still in the hand at the end.
func points(card string) int {
	if isWild(card) {
		return 50
	}
	if figure := card[1]; figure >= '0' && figure <= '9' {
		return int(figure - '0')
	}
	return 20
}

type message struct {
	Type    string          `json:"type"`
	Message json.RawMessage `json:"message"`
	State   State           `json:"state"`
}

type answer struct {
	Action    string `json:"action"`
	Card      string `json:"card,omitempty"`
	WildColor string `json:"wild_color,omitempty"`
}

// Play answers the host until the game ends. A move of nil draws a card (or passes, where drawing is
// not possible).
func Play(move func(*State) *Move) {
	var notifications []string
	refused := false
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		var heard message
		if strings.TrimSpace(line) == "" || json.Unmarshal([]byte(line), &heard) != nil {
			continue
		}
		var text string
		_ = json.Unmarshal(heard.Message, &text) // what is not a text tells nothing
		switch heard.Type {
		case "request_action":
			heard.State.Notifications = notifications
			// What was refused once would be refused again.
			var chosen *Move
			if !refused {
				chosen = move(&heard.State)
			}
			refused = false
			said, _ := json.Marshal(answerTo(&heard.State, chosen))
			fmt.Println(string(said))
		case "notification":
			notifications = append(notifications, text)
		case "error":
			refused = true
			fmt.Fprintln(os.Stderr, "refused:", text)
		case "game_end":
			return
		}
	}
}

func answerTo(state *State, chosen *Move) answer {
	if chosen == nil {
		for _, action := range state.AvailableActions {
			if action == "draw" {
				return answer{Action: "draw"}
			}
		}
		return answer{Action: "pass"}
	}
	color := chosen.Color
	if !isWild(chosen.Card) {
		color = ""
	} else if color == "" {
		color = state.FavouriteColor()
	}
	return answer{"play", chosen.Card, color}
}
