// The protocol of ants: reads messages, keeps the map, asks `move` for orders, and writes them.
//
// Standard output belongs to the protocol: print to os.Stderr, which is kept in the replay.

package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// What is in a cell.
const (
	Unknown = iota - 1
	Grass
	Sugar
	Rock
	Mill
	Water
	Meat
)

// Brains: this program's, another program's of the same player, none.
const (
	Controlled     = 1
	ForeignProgram = 2
	Dead           = 3
)

type Cell struct{ X, Y int }

// Ant is an ant of ours; of a foreign one only place, direction and brain are known.
type Ant struct {
	ID, X, Y, DX, DY, Energy, Acid, Brain int
}

// Ahead is the cell in front of it.
func (a *Ant) Ahead() Cell {
	return Cell{a.X + a.DX, a.Y + a.DY}
}

// Way is a goal, and the order that leads there.
type Way struct {
	Goal  Cell
	Order string
}

// Order is what an ant is told: "forward", "left", "right", "rest" or "attack@20".
type Order struct {
	ID   int
	Word string
}

// State is what the colony knows. (0, 0) is at the top left, y grows downwards.
type State struct {
	Turn, Players int
	Ants          []Ant         // of this player, also dead ones and those of its other programs
	Mine          []Ant         // living ones that this program commands
	Foreign       []Ant         // of other players, in sight; only in version 2 of the protocol
	Width, Height int           // of what is known
	Cells         map[Cell]int  // as last seen
	Visited       map[Cell]bool // where our ants have been
}

// At is what is in a cell; Unknown where nobody has looked.
func (s *State) At(cell Cell) int {
	if content, known := s.Cells[cell]; known {
		return content
	}
	return Unknown
}

func (s *State) IsFood(cell Cell) bool {
	content := s.At(cell)
	return content == Sugar || content == Mill || content == Meat
}

// IsNews says whether an ant there would see something new.
func (s *State) IsNews(cell Cell) bool {
	if s.Visited[cell] {
		return false
	}
	for x := cell.X - 1; x <= cell.X+1; x++ {
		for y := cell.Y - 1; y <= cell.Y+1; y++ {
			if x >= 0 && y >= 0 && s.At(Cell{x, y}) == Unknown {
				return true
			}
		}
	}
	return false
}

func (s *State) IsEnemy(cell Cell) bool {
	for _, ant := range s.Foreign {
		if ant.X == cell.X && ant.Y == cell.Y {
			return true
		}
	}
	return false
}

// IsTaken says whether a living ant stands there.
func (s *State) IsTaken(cell Cell) bool {
	for _, ant := range s.Ants {
		if ant.Brain != Dead && ant.X == cell.X && ant.Y == cell.Y {
			return true
		}
	}
	return s.IsEnemy(cell)
}

// Nearest finds the nearest cell that is wanted; nil if there is none.
func (s *State) Nearest(ant *Ant, wanted func(Cell) bool) *Way {
	start := Cell{ant.X, ant.Y}
	first := map[Cell]Cell{start: start}
	steps := [5]Cell{{ant.DX, ant.DY}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	for queue := []Cell{start}; len(queue) > 0; queue = queue[1:] {
		cell := queue[0]
		if cell != start && wanted(cell) {
			return &Way{cell, s.Towards(ant, first[cell])}
		}
		for _, step := range steps {
			to := Cell{cell.X + step.X, cell.Y + step.Y}
			content := s.At(to)
			_, seen := first[to]
			if seen || content == Unknown || content == Rock || content == Water {
				continue
			}
			// Other ants are in the way of the next step only: they move on.
			if cell == start && s.IsTaken(to) {
				continue
			}
			first[to] = first[cell]
			if cell == start {
				first[to] = to
			}
			queue = append(queue, to)
		}
	}
	return nil
}

// Towards is the order that brings an ant to a cell beside it.
func (s *State) Towards(ant *Ant, cell Cell) string {
	dx, dy := cell.X-ant.X, cell.Y-ant.Y
	switch {
	case dx == ant.DX && dy == ant.DY:
		return "forward"
	case dx == ant.DY && dy == -ant.DX:
		return "left"
	default:
		return "right"
	}
}

// Play answers every message until the game is over. An ant without an order rests.
func Play(move func(*State) []Order) {
	input := bufio.NewReaderSize(os.Stdin, 1<<16)
	state := &State{Cells: map[Cell]int{}, Visited: map[Cell]bool{}}
	for read(state, input) {
		var orders []string
		for _, order := range move(state) {
			orders = append(orders, fmt.Sprintf("%d:%s", order.ID, order.Word))
		}
		fmt.Println(strings.Join(orders, ","))
	}
}

// Reads one message; false at the end of the input, and for the last one, which is not answered.
func read(state *State, input *bufio.Reader) bool {
	header := numbers(input)
	if len(header) < 4 {
		return false
	}
	state.Turn, state.Players = header[0], header[2]
	state.Ants, state.Mine, state.Foreign = nil, nil, nil
	// The published version has five numbers, and a line of ids. Version 2 has four, an id in each
	// ant's line, and foreign ants.
	published := len(header) == 5
	isMine := map[int]bool{}
	if published {
		for _, id := range numbers(input) {
			isMine[id] = true
		}
	}
	for i := 0; i < header[1]; i++ {
		n := numbers(input)
		if published {
			n = append([]int{i}, n...)
		}
		if len(n) < 8 {
			return false
		}
		ant := Ant{n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]}
		state.Ants = append(state.Ants, ant)
		if (!published || isMine[i]) && ant.Brain == Controlled {
			state.Mine = append(state.Mine, ant)
		}
		if ant.Brain != Dead {
			state.Visited[Cell{ant.X, ant.Y}] = true
		}
	}
	if !published {
		for left := numbers(input)[0]; left > 0; left-- {
			n := numbers(input)
			state.Foreign = append(state.Foreign, Ant{-1, n[0], n[1], n[2], n[3], 0, 0, n[4]})
		}
	}
	size := numbers(input)
	state.Width, state.Height = size[0], size[1]
	for left := size[2]; left > 0; left-- {
		point := numbers(input)
		state.Cells[Cell{point[0], point[1]}] = point[2]
	}
	return header[3] == 1
}

// A line of numbers; empty at the end of the input.
func numbers(input *bufio.Reader) []int {
	line, _ := input.ReadString('\n')
	words := strings.Fields(line)
	found := make([]int, len(words))
	for i, word := range words {
		found[i], _ = strconv.Atoi(word)
	}
	return found
}
