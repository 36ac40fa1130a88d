// Sends every ant to the nearest food, or to where it sees something new.

package main

import "fmt"

// An order for each ant; two ants never go for the same cell.
func move(state *State) []Order {
	var orders []Order
	goals := map[Cell]bool{}
	for _, ant := range state.Mine {
		if state.IsEnemy(ant.Ahead()) && ant.Acid > 0 {
			orders = append(orders, Order{ant.ID, fmt.Sprintf("attack@%d", ant.Acid)})
			continue
		}
		way := state.Nearest(&ant, func(cell Cell) bool { return state.IsFood(cell) && !goals[cell] })
		if way == nil {
			way = state.Nearest(&ant, func(cell Cell) bool { return state.IsNews(cell) && !goals[cell] })
		}
		if way != nil {
			goals[way.Goal] = true
			orders = append(orders, Order{ant.ID, way.Order})
		}
	}
	return orders
}

func main() {
	Play(move)
}
