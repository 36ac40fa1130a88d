// Sends every ant to the nearest food, or to where it sees something new.
using System.Collections.Generic;

static class Strategy
{
    /// An order for each ant; two ants never go for the same cell.
    static Orders Move(State state)
    {
        var orders = new Orders();
        var goals = new HashSet<Cell>();
        foreach (Ant ant in state.Mine)
        {
            if (state.IsEnemy(ant.Ahead) && ant.Acid > 0)
            {
                orders.Add(ant.Id, "attack@" + ant.Acid);
                continue;
            }
            Way way = state.Nearest(ant, cell => state.IsFood(cell) && !goals.Contains(cell))
                ?? state.Nearest(ant, cell => state.IsNews(cell) && !goals.Contains(cell));
            if (way == null) continue;
            goals.Add(way.Goal);
            orders.Add(ant.Id, way.Order);
        }
        return orders;
    }

    static void Main() => Protocol.Play(Move);
}
