// Gets rid of the dearest card, and keeps wild cards for later.

package main

// The dearest card that may be played, wild ones last; nil draws (or passes).
func move(state *State) *Move {
	best, most := "", -1
	for _, card := range state.PlayableCards {
		value := 0
		if !isWild(card) {
			value = 100 + points(card)
		}
		if value > most {
			best, most = card, value
		}
	}
	if best == "" {
		return nil
	}
	return &Move{best, state.FavouriteColor()}
}

func main() {
	Play(move)
}
