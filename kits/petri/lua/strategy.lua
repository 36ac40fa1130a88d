-- Breeds wherever there is room.
local protocol = require("protocol")

-- A child costs 5 energy; whoever has none left at the end of a tick dies.
local function move(state)
  if state.energy > 6 and #state:free() > 0 then
    return "replicate"
  end
  return "rest"
end

protocol.play(move)
