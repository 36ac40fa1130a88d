-- Sends every ant to the nearest food, or to where it sees something new.
local protocol = require("protocol")

-- An order for each ant; two ants never go for the same cell.
local function move(state)
  local orders, goals = {}, {}
  local function is_free(x, y)
    return not goals[x .. "," .. y]
  end
  for _, ant in ipairs(state.mine) do
    if state:is_enemy(ant.x + ant.dx, ant.y + ant.dy) and ant.acid > 0 then
      orders[#orders + 1] = { ant.id, "attack@" .. ant.acid }
    else
      local x, y, order = state:nearest(ant, function(i, j) return state:is_food(i, j) and is_free(i, j) end)
      if not order then
        x, y, order = state:nearest(ant, function(i, j) return state:is_news(i, j) and is_free(i, j) end)
      end
      if order then
        goals[x .. "," .. y] = true
        orders[#orders + 1] = { ant.id, order }
      end
    end
  end
  return orders
end

protocol.play(move)
