// The protocol of gomoku: hears the manager, keeps the board, and asks `move` for a cell.
//
// Standard output belongs to the protocol: print to os.Stderr, which is kept in the replay.

package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// What is in a cell.
const (
	Empty = iota
	Me
	Them
	Forbidden
)

// Sides of a board.
const (
	least = 5
	most  = 32
)

var directions = [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}

type Cell struct{ X, Y int }

type Stone struct{ X, Y, Who int }

// State is the position in which the bot has to move.
type State struct {
	Width, Height int
	Cells         [][]int           // Cells[y][x] is Empty, Me, Them or Forbidden
	Stones        []Stone           // in the order in which they were played
	Info          map[string]string // what INFO said: "timeout_turn", "time_left", "rule" and so on
}

func newState(width, height int) *State {
	state := &State{Width: width, Height: height, Info: map[string]string{}}
	state.clear()
	return state
}

func (s *State) Inside(x, y int) bool {
	return x >= 0 && x < s.Width && y >= 0 && y < s.Height
}

func (s *State) IsFree(x, y int) bool {
	return s.Inside(x, y) && s.Cells[y][x] == Empty
}

// Free lists all cells without a stone, row by row.
func (s *State) Free() []Cell {
	var found []Cell
	for y := range s.Cells {
		for x := range s.Cells[y] {
			if s.IsFree(x, y) {
				found = append(found, Cell{x, y})
			}
		}
	}
	return found
}

// Row is how many stones in a row somebody would have through this cell by playing there.
func (s *State) Row(x, y, who int) int {
	longest := 0
	for _, direction := range directions {
		count := 1
		for _, sign := range [2]int{1, -1} {
			dx, dy := sign*direction[0], sign*direction[1]
			for i, j := x+dx, y+dy; s.Inside(i, j) && s.Cells[j][i] == who; i, j = i+dx, j+dy {
				count++
			}
		}
		if count > longest {
			longest = count
		}
	}
	return longest
}

// TimeMs is how long this move may take, in milliseconds.
func (s *State) TimeMs() int {
	lowest := math.MaxInt32
	for _, key := range []string{"timeout_turn", "time_left"} {
		if limit, err := strconv.Atoi(s.Info[key]); err == nil && limit > 0 && limit < lowest {
			lowest = limit
		}
	}
	return lowest
}

func (s *State) clear() {
	s.Cells = make([][]int, s.Height)
	for y := range s.Cells {
		s.Cells[y] = make([]int, s.Width)
	}
	s.Stones = nil
}

func (s *State) put(x, y, who int) {
	s.Cells[y][x] = who
	s.Stones = append(s.Stones, Stone{x, y, who})
}

func (s *State) takeBack(x, y int) {
	var kept []Stone
	for _, stone := range s.Stones {
		if stone.X != x || stone.Y != y {
			kept = append(kept, stone)
		}
	}
	s.Stones = kept
	s.Cells[y][x] = Empty
}

// Play answers the manager until it says END or is gone.
func Play(move func(*State) Cell, name string) {
	input := bufio.NewScanner(os.Stdin)
	state := newState(0, 0)
	for input.Scan() {
		word, rest, _ := strings.Cut(strings.TrimSpace(input.Text()), " ")
		word, rest = strings.ToUpper(word), strings.TrimSpace(rest)
		cell := numbers(rest)
		isCell := len(cell) == 2
		switch word {
		case "START", "RECTSTART":
			sides := 1
			if word == "RECTSTART" {
				sides = 2
			}
			fits := len(cell) == sides
			for _, side := range cell {
				fits = fits && side >= least && side <= most
			}
			if fits {
				state = newState(cell[0], cell[sides-1])
				say("OK")
			} else {
				say("ERROR boards have sides of %d to %d", least, most)
			}
		case "RESTART":
			state.clear()
			say("OK")
		case "INFO":
			key, value, _ := strings.Cut(rest, " ")
			state.Info[strings.ToLower(key)] = strings.TrimSpace(value)
		case "BEGIN":
			answer(state, move)
		case "TURN":
			if isCell && state.IsFree(cell[0], cell[1]) {
				state.put(cell[0], cell[1], Them)
				answer(state, move)
			} else {
				say("ERROR not a free cell: %s", rest)
			}
		case "BOARD":
			state.clear()
			for _, stone := range untilDone(input) {
				if len(stone) == 3 && state.IsFree(stone[0], stone[1]) {
					state.put(stone[0], stone[1], stone[2])
				}
			}
			answer(state, move)
		case "SWAP2BOARD":
			state.clear()
			// Whoever answers with one cell takes White: black stones are the other's then.
			for number, stone := range untilDone(input) {
				if len(stone) >= 2 && state.IsFree(stone[0], stone[1]) {
					state.put(stone[0], stone[1], Them-number%2)
				}
			}
			if x, y := state.Width/2, state.Height/2; len(state.Stones) == 0 {
				say("%d,%d %d,%d %d,%d", x, y, x+1, y, x-1, y+2)
			} else {
				answer(state, move)
			}
		case "PLAY": // comes only after SUGGEST, which this bot never says
			if isCell && state.IsFree(cell[0], cell[1]) {
				state.put(cell[0], cell[1], Me)
				say("%d,%d", cell[0], cell[1])
			} else {
				say("ERROR not a free cell: %s", rest)
			}
		case "TAKEBACK":
			if isCell && state.Inside(cell[0], cell[1]) {
				state.takeBack(cell[0], cell[1])
				say("OK")
			} else {
				say("ERROR not a cell: %s", rest)
			}
		case "ABOUT":
			say(`name="%s", version="1.0", author="", country=""`, name)
		case "END":
			return
		case "":
		default:
			say("UNKNOWN %s", word)
		}
	}
}

func answer(state *State, move func(*State) Cell) {
	if len(state.Free()) == 0 {
		say("ERROR there is no free cell")
		return
	}
	cell := move(state)
	if !state.IsFree(cell.X, cell.Y) {
		panic(fmt.Sprintf("move returned %d,%d, which is not a free cell", cell.X, cell.Y))
	}
	state.put(cell.X, cell.Y, Me)
	say("%d,%d", cell.X, cell.Y)
}

// The lines of a position as lists of numbers.
func untilDone(input *bufio.Scanner) [][]int {
	var found [][]int
	for input.Scan() && !strings.EqualFold(strings.TrimSpace(input.Text()), "DONE") {
		found = append(found, numbers(input.Text()))
	}
	return found
}

// The numbers of "7,8" or "15"; nothing if it is something else.
func numbers(text string) []int {
	var found []int
	for _, part := range strings.Split(text, ",") {
		number, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			return nil
		}
		found = append(found, number)
	}
	return found
}

// Writes a line, which leaves at once.
func say(format string, values ...any) {
	fmt.Printf(format+"\n", values...)
}
