// What a program in TypeScript may do with the libraries: `npm run types` says whether the types allow it.
import * as ants from "../ants.mjs";
import * as gomoku from "../gomoku.mjs";
import * as jedna from "../jedna.mjs";
import * as petri from "../petri.mjs";
import * as pyrat from "../pyrat.mjs";

void gomoku.play((state) => {
  const cell: gomoku.Cell = state.free()[0];
  const rows: number[] = [gomoku.ME, gomoku.THEM].map((who) => state.row(cell.x, cell.y, who));
  const limit: string | undefined = state.info.get("timeout_turn");
  return rows[0] > 4 || limit ? cell : state.stones[0];
}, "typed");
void pyrat.play(
  async (state): Promise<pyrat.Step> => {
    await state.pause();
    const { turns, first } = state.ways(state.me.cell);
    return turns[state.cheese[0]] < pyrat.FAR ? first[state.cheese[0]] : "STAY";
  },
  "typed",
  { options: ["name Depth type spin default 3"], prepare: (state) => void state.exits(0)[0].move },
);
void jedna.play((state) => {
  const card: string | undefined = state.playable_cards.find((card) => !jedna.isWild(card));
  return card && jedna.points(card) > 0 ? { card, color: jedna.COLORS.r } : null;
});
void ants.play((state) => {
  const way: ants.Way | null = state.nearest(state.mine[0], (x, y) => state.at(x, y) === ants.SUGAR);
  return new Map(way ? [[state.mine[0].id, way.order]] : []);
});
void petri.play((state) => {
  petri.writeMemory(petri.readMemory() + state.neighbors.north.energy);
  return state.others().length > 0 ? `attack ${state.others()[0]}` : "rest";
});

// @ts-expect-error: a move is one of five words.
void pyrat.play(() => "NORTH");
// @ts-expect-error: a cell has two numbers.
void gomoku.play(() => ({ x: 1 }));
