// Goes for the nearest cheese.

package main

// The first step on the way to the cheese that is reached in the fewest turns.
func move(state *State) Step {
	ways := state.Ways(state.Me.Cell)
	nearest, fewest := state.Me.Cell, Far
	for _, cell := range state.Cheese {
		if ways.Turns[cell] < fewest {
			nearest, fewest = cell, ways.Turns[cell]
		}
	}
	return ways.First[nearest]
}

func main() {
	Play(move, "mybot")
}
