// Plays where the longest row would be, its own or the opponent's.

package main

// The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
func move(state *State) Cell {
	var best Cell
	most := 0
	for _, cell := range state.Free() {
		value := 2*state.Row(cell.X, cell.Y, Me) + 1
		if theirs := 2 * state.Row(cell.X, cell.Y, Them); theirs > value {
			value = theirs
		}
		value = 1000*value - abs(cell.X-state.Width/2) - abs(cell.Y-state.Height/2)
		if value > most {
			most, best = value, cell
		}
	}
	return best
}

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

func main() {
	Play(move, "mybot")
}
