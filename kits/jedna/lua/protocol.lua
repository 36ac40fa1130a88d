-- The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
--
-- Standard output belongs to the protocol: print with io.stderr:write, which is kept in the replay.

local json = require("json")

local protocol = {}

local COLORS = { "red", "blue", "green", "yellow" }

function protocol.is_wild(card)
  return card:sub(1, 1) == "w"
end

-- What a card costs if it is still in the hand at the end.
function protocol.points(card)
  if protocol.is_wild(card) then
    return 50
  end
  return tonumber(card:match("^.(%d)$")) or 20
end

-- The color of most cards in the hand.
function protocol.favourite_color(state)
  local best, most = nil, -1
  for _, color in ipairs(COLORS) do
    local count = 0
    for _, card in ipairs(state.hand) do
      if card:sub(1, 1) == color:sub(1, 1) then
        count = count + 1
      end
    end
    if count > most then
      best, most = color, count
    end
  end
  return best
end

-- The state has the fields of the request: your_id, hand, top_card, top_color, game_state ("normal",
-- "war_+2" or "war_wd4"), stacked_cards, already_picked, picked_card, other_players ({ id, cards }, the
-- next one first), available_actions, playable_cards; and notifications, all since the game began.
local function complete(state, notifications)
  state.game_state = state.game_state or "normal"
  state.stacked_cards = state.stacked_cards or 0
  state.notifications = notifications
  for _, list in ipairs({ "hand", "other_players", "available_actions", "playable_cards" }) do
    state[list] = state[list] or {}
  end
  return state
end

local function answer(state, card, color)
  if not card then
    local action = "pass"
    for _, available in ipairs(state.available_actions) do
      action = available == "draw" and "draw" or action
    end
    return string.format('{"action":"%s"}', action)
  end
  if protocol.is_wild(card) then
    color = color or protocol.favourite_color(state)
    return string.format('{"action":"play","card":"%s","wild_color":"%s"}', card, color)
  end
  return string.format('{"action":"play","card":"%s"}', card)
end

-- Answers the host until the game ends. `move` returns a card and, for a wild one, a color; nil draws a
-- card (or passes, where drawing is not possible).
function protocol.play(move)
  local notifications, refused = {}, false
  for line in io.lines() do
    local message = line:find("{", 1, true) and json.parse(line) or {}
    if message.type == "request_action" then
      local state = complete(message.state or {}, notifications)
      local card, color
      -- What was refused once would be refused again.
      if not refused then
        card, color = move(state)
      end
      refused = false
      io.write(answer(state, card, color), "\n")
      io.flush()
    elseif message.type == "notification" then
      notifications[#notifications + 1] = message.message
    elseif message.type == "error" then
      refused = true
      io.stderr:write("refused: ", tostring(message.message), "\n")
    elseif message.type == "game_end" then
      return
    end
  end
end

return protocol
