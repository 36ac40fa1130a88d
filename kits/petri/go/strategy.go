// Breeds wherever there is room.

package main

// A child costs 5 energy; whoever has none left at the end of a tick dies.
func move(state *State) string {
	if state.Energy > 6 && len(state.Free()) > 0 {
		return "replicate"
	}
	return "rest"
}

func main() {
	Play(move)
}
