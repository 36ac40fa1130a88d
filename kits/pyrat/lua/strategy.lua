-- Goes for the nearest cheese.
local protocol = require("protocol")

-- The first move on the way to the cheese that is reached in the fewest turns.
local function move(state)
  local turns, first = state:ways(state.me.cell)
  local nearest = state.me.cell
  local fewest = protocol.FAR
  for _, cell in ipairs(state.cheese) do
    if turns[cell] < fewest then
      nearest, fewest = cell, turns[cell]
    end
  end
  return first[nearest]
end

protocol.play(move, "mybot")
