-- Gets rid of the dearest card, and keeps wild cards for later.
local protocol = require("protocol")

-- The dearest card that may be played, wild ones last; nil draws (or passes).
local function move(state)
  local best, most = nil, -1
  for _, card in ipairs(state.playable_cards) do
    local value = protocol.is_wild(card) and 0 or 100 + protocol.points(card)
    if value > most then
      best, most = card, value
    end
  end
  return best, protocol.favourite_color(state)
end

protocol.play(move)
