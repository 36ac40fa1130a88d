-- Plays where the longest row would be, its own or the opponent's.
local protocol = require("protocol")

-- The best free cell: five of mine, five of theirs, four of mine, … and then near the middle.
local function move(state)
  local best_x, best_y, most = nil, nil, -math.huge
  for _, cell in ipairs(state:free()) do
    local x, y = cell[1], cell[2]
    local row = math.max(2 * state:row(x, y, protocol.ME) + 1, 2 * state:row(x, y, protocol.THEM))
    local value = 1000 * row - math.abs(x - state.width // 2) - math.abs(y - state.height // 2)
    if value > most then
      best_x, best_y, most = x, y, value
    end
  end
  return best_x, best_y
end

protocol.play(move, "mybot")
