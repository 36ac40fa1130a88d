// The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
//
// A goroutine reads while the bot thinks, so that `isready` and `stop` are heard: a long thought asks
// `state.Stopped()` now and then. Standard output belongs to the protocol: print to os.Stderr, which
// is kept in the replay.

package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

// Far is the number of turns to a cell that cannot be reached.
const Far = 1_000_000

type Step int

const (
	Up Step = iota
	Down
	Left
	Right
	Stay
)

var stepNames = [5]string{"UP", "DOWN", "LEFT", "RIGHT", "STAY"}
var steps = [4][2]int{{0, 1}, {0, -1}, {-1, 0}, {1, 0}}

type Player struct {
	Cell   int
	Target int // while it is in mud: the cell it will arrive at
	Mud    int // turns until then; its moves are ignored meanwhile
	Score  float64
}

// Exit is a move that leads out of a cell.
type Exit struct {
	Step      Step
	To, Turns int
}

// Ways has for every cell in how many turns it is reached, and by which first step.
type Ways struct {
	Turns []int
	First []Step
}

// State is the game as it stands. A cell is a number, y * Width + x; (0, 0) is at the bottom left.
type State struct {
	Width, Height int
	Cheese        []int
	Me, Other     *Player
	IsRat         bool
	Turn          int
	Time          map[string]int    // limits in milliseconds: "move", "preprocessing", "postprocessing"
	Options       map[string]string // what setoption said
	rat, python   Player
	costs         [][4]int // turns that each of the four steps takes; 0: there is a wall
}

var stop, late int32 // set by the goroutine that reads

// Stopped says whether a thought has to end.
func (s *State) Stopped() bool {
	return atomic.LoadInt32(&stop) == 1
}

// Exits lists the moves that lead out of a cell.
func (s *State) Exits(cell int) []Exit {
	var found []Exit
	for step, cost := range s.costs[cell] {
		if cost > 0 {
			found = append(found, Exit{Step(step), cell + steps[step][1]*s.Width + steps[step][0], cost})
		}
	}
	return found
}

// Ways finds the ways from a cell to all others.
func (s *State) Ways(start int) Ways {
	ways := Ways{make([]int, len(s.costs)), make([]Step, len(s.costs))}
	for cell := range s.costs {
		ways.Turns[cell], ways.First[cell] = Far, Stay
	}
	ways.Turns[start] = 0
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		cell := queue[0]
		for _, exit := range s.Exits(cell) {
			if ways.Turns[cell]+exit.Turns >= ways.Turns[exit.To] {
				continue
			}
			ways.Turns[exit.To] = ways.Turns[cell] + exit.Turns
			ways.First[exit.To] = ways.First[cell]
			if cell == start {
				ways.First[exit.To] = exit.Step
			}
			queue = append(queue, exit.To)
		}
	}
	return ways
}

// ---- keeping track ----

func newState(options map[string]string) *State {
	state := &State{IsRat: true, Time: map[string]int{}, Options: options}
	state.Me, state.Other = &state.rat, &state.python
	return state
}

func (s *State) makeMaze(width, height int) {
	s.Width, s.Height = width, height
	s.costs = make([][4]int, width*height)
	for cell := range s.costs {
		for step := range steps {
			x, y := cell%width+steps[step][0], cell/width+steps[step][1]
			if x >= 0 && x < width && y >= 0 && y < height {
				s.costs[cell][step] = 1
			}
		}
	}
}

// Between two cells, in both directions.
func (s *State) setCost(a, b, turns int) {
	for _, pair := range [2][2]int{{a, b}, {b, a}} {
		for _, exit := range s.Exits(pair[0]) {
			if exit.To == pair[1] {
				s.costs[pair[0]][exit.Step] = turns
			}
		}
	}
}

// One turn of one player: it moves, or struggles on in the mud whatever its move is.
func (s *State) advance(player *Player, step Step) {
	if player.Mud > 0 {
		player.Mud--
	} else {
		for _, exit := range s.Exits(player.Cell) {
			if exit.Step == step {
				player.Target, player.Mud = exit.To, exit.Turns-1
			}
		}
	}
	if player.Mud == 0 {
		player.Cell = player.Target
	}
}

func (s *State) eats(player *Player) bool {
	for _, cell := range s.Cheese {
		if cell == player.Cell {
			return player.Mud == 0
		}
	}
	return false
}

func (s *State) removeCheese(eaten int) {
	var kept []int
	for _, cell := range s.Cheese {
		if cell != eaten {
			kept = append(kept, cell)
		}
	}
	s.Cheese = kept
}

// One turn of the game.
func (s *State) step(rats, pythons Step) {
	s.Turn++
	s.advance(&s.rat, rats)
	s.advance(&s.python, pythons)
	ratEats, pythonEats, worth := s.eats(&s.rat), s.eats(&s.python), 1.0
	if ratEats && pythonEats && s.rat.Cell == s.python.Cell {
		worth = 0.5
	}
	if ratEats {
		s.rat.Score += worth
		s.removeCheese(s.rat.Cell)
	}
	if pythonEats {
		s.python.Score += worth
		s.removeCheese(s.python.Cell)
	}
}

// After a restart: the history of moves tells who is how deep in mud. A walk along it from the right
// start ends where the player is now. Usually the start is the player's corner.
func (s *State) recoverMud(history []Step) {
	s.Turn = len(history) / 2
	corners := [2]int{0, len(s.costs) - 1}
	for number, player := range [2]*Player{&s.rat, &s.python} {
		for i := -1; i < len(s.costs); i++ {
			start := i
			if i < 0 {
				start = corners[number]
			}
			walker := Player{Cell: start, Target: start}
			for at := number; at < len(history); at += 2 {
				s.advance(&walker, history[at])
			}
			if walker.Cell == player.Cell {
				player.Target, player.Mud = walker.Target, walker.Mud
				break
			}
		}
	}
}

// ---- the conversation ----

// Play answers the engine until it is gone.
func Play(move func(*State) Step, name string) {
	lines := make(chan string, 1000)
	go read(lines)
	options := map[string]string{}
	state := newState(options)
	var history []Step
	begun := false
	for line := range lines {
		words := strings.Fields(line)
		word, words := words[0], words[1:]
		rest := strings.Join(words, " ")
		switch word {
		case "pyrat":
			say("id name " + name)
			say("pyratready")
		case "setoption":
			key, value, _ := strings.Cut(strings.TrimPrefix(rest, "name "), " value ")
			options[key] = value
		case "newgame", "recover":
			state, history, begun = newState(options), nil, false
		case "maze":
			size := pairs(words)
			state.makeMaze(number(size["width"]), number(size["height"]))
		case "walls", "mud":
			for _, part := range words {
				cells := state.cells(part)
				turns := 0
				if word == "mud" {
					turns = number(part[strings.LastIndex(part, ":")+1:]) + 1
				}
				state.setCost(cells[0], cells[1], turns)
			}
		case "cheese":
			state.Cheese = state.cells(rest)
		case "player1":
			state.rat.Cell = state.cells(rest)[0]
			state.rat.Target = state.rat.Cell
		case "player2":
			state.python.Cell = state.cells(rest)[0]
			state.python.Target = state.python.Cell
		case "timecontrol":
			for key, ms := range pairs(words) {
				state.Time[key] = number(ms)
			}
		case "moves_history":
			for _, name := range words {
				history = append(history, stepNamed(name))
			}
			begun = true
		case "score":
			state.rat.Score, _ = strconv.ParseFloat(pairs(words)["rat"], 64)
			state.python.Score, _ = strconv.ParseFloat(pairs(words)["python"], 64)
		case "youare":
			if rest == "python" {
				state.IsRat, state.Me, state.Other = false, &state.python, &state.rat
			}
			if begun {
				state.recoverMud(history)
			}
		case "startpreprocessing":
			say("preprocessingdone")
		case "moves":
			// The first ones come before the first turn.
			if moves := pairs(words); begun {
				state.step(stepNamed(moves["rat"]), stepNamed(moves["python"]))
			}
			begun = true
		case "go":
			begun = true
			step := move(state)
			// After a time-out the engine has played STAY and does not want this move any more.
			if atomic.LoadInt32(&late) == 0 {
				say("move " + stepNames[step])
			}
		case "ready?":
			say("ready")
		case "startpostprocessing":
			say("postprocessingdone")
		}
		// `debug`, `current_position` and `gameover` tell nothing that this bot needs; what is not
		// known is ignored.
	}
}

// Reads while the bot thinks: what cannot wait until the thought is over is done here.
func read(lines chan<- string) {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			break
		}
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case words[0] == "isready":
			say("readyok")
		case words[0] == "stop":
			atomic.StoreInt32(&stop, 1)
		case words[0] == "timeout":
			atomic.StoreInt32(&late, 1)
			atomic.StoreInt32(&stop, 1)
		default:
			if words[0] == "go" || words[0] == "startpreprocessing" {
				atomic.StoreInt32(&stop, 0)
				atomic.StoreInt32(&late, 0)
			}
			lines <- line
		}
	}
	atomic.StoreInt32(&stop, 1)
	close(lines)
}

func stepNamed(name string) Step {
	for step, known := range stepNames {
		if name == known {
			return Step(step)
		}
	}
	return Stay
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

// "rat:UP python:LEFT" as a map.
func pairs(words []string) map[string]string {
	found := map[string]string{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, ":")
		found[key] = value
	}
	return found
}

var cellPattern = regexp.MustCompile(`\((\d+),(\d+)\)`)

// The cells in a text: "(0,0)-(0,1)".
func (s *State) cells(text string) []int {
	var found []int
	for _, match := range cellPattern.FindAllStringSubmatch(text, -1) {
		found = append(found, number(match[2])*s.Width+number(match[1]))
	}
	return found
}

// Writes a line in one piece, which leaves at once; both goroutines do.
func say(line string) {
	fmt.Print(line + "\n")
}
