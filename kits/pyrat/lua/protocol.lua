-- The protocol of pyrat: hears the engine, keeps track of the game, and asks `move` for a move.
--
-- Lua reads nothing while a bot thinks, so that `isready` and `stop` are heard after its answer: a
-- long thought asks `state:stopped()` now and then, which looks at the processor time it has used.
-- Standard output belongs to the protocol: print with io.stderr:write, which is kept in the replay.

local protocol = { FAR = 1000000 } -- turns to a cell that cannot be reached

local STEPS = { { "UP", 0, 1 }, { "DOWN", 0, -1 }, { "LEFT", -1, 0 }, { "RIGHT", 1, 0 } }

-- The game as it stands. A cell is a number, y * width + x; (0, 0) is at the bottom left. A player has
-- `cell`, `score`, and while it is in mud `target`, the cell it will arrive at, and `mud`, the turns
-- until then. `time` has limits in milliseconds: move, preprocessing, postprocessing; `options` is
-- what setoption said.
local State = {}
State.__index = State

local function new_player(cell)
  return { cell = cell, target = cell, mud = 0, score = 0 }
end

local function new_state(options)
  local state = { width = 0, height = 0, cheese = {}, rat = new_player(0), python = new_player(0), turn = 0 }
  state.time, state.options, state.costs = {}, options, {}
  state.me, state.other = state.rat, state.python
  return setmetatable(state, State)
end

-- Whether a thought has to end: four fifths of its time are over.
function State:stopped()
  local limit = self.time.move
  return limit ~= nil and limit > 0 and (os.clock() - self.began) * 1000 > 0.8 * limit
end

-- The moves that lead out of a cell: { move =, to =, turns = }.
function State:exits(cell)
  local found = {}
  for i, step in ipairs(STEPS) do
    local turns = self.costs[cell][i]
    if turns > 0 then
      found[#found + 1] = { move = step[1], index = i, to = cell + step[3] * self.width + step[2], turns = turns }
    end
  end
  return found
end

-- For every cell: in how many turns it is reached from `start`, and by which first move.
function State:ways(start)
  local turns, first = {}, {}
  for cell = 0, self.width * self.height - 1 do
    turns[cell], first[cell] = protocol.FAR, "STAY"
  end
  turns[start] = 0
  local queue, head = { start }, 1
  while queue[head] do
    local cell = queue[head]
    head = head + 1
    for _, exit in ipairs(self:exits(cell)) do
      if turns[cell] + exit.turns < turns[exit.to] then
        turns[exit.to] = turns[cell] + exit.turns
        first[exit.to] = cell == start and exit.move or first[cell]
        queue[#queue + 1] = exit.to
      end
    end
  end
  return turns, first
end

-- ---- keeping track ----

function State:make_maze(width, height)
  self.width, self.height = width, height
  for cell = 0, width * height - 1 do
    self.costs[cell] = {}
    for i, step in ipairs(STEPS) do
      local x, y = cell % width + step[2], cell // width + step[3]
      self.costs[cell][i] = x >= 0 and x < width and y >= 0 and y < height and 1 or 0
    end
  end
end

-- Between two cells, in both directions.
function State:set_cost(a, b, turns)
  for _, pair in ipairs({ { a, b }, { b, a } }) do
    for _, exit in ipairs(self:exits(pair[1])) do
      if exit.to == pair[2] then
        self.costs[pair[1]][exit.index] = turns
      end
    end
  end
end

-- One turn of one player: it moves, or struggles on in the mud whatever its move is.
function State:advance(player, move)
  if player.mud > 0 then
    player.mud = player.mud - 1
  else
    for _, exit in ipairs(self:exits(player.cell)) do
      if exit.move == move then
        player.target, player.mud = exit.to, exit.turns - 1
      end
    end
  end
  if player.mud == 0 then
    player.cell = player.target
  end
end

-- Takes the cheese of a cell away; false if there is none.
function State:remove_cheese(cell)
  for i, cheese in ipairs(self.cheese) do
    if cheese == cell then
      table.remove(self.cheese, i)
      return true
    end
  end
  return false
end

-- One turn of the game.
function State:step(rats, pythons)
  self.turn = self.turn + 1
  self:advance(self.rat, rats)
  self:advance(self.python, pythons)
  local both = self.rat.mud == 0 and self.python.mud == 0 and self.rat.cell == self.python.cell
  for _, player in ipairs({ self.rat, self.python }) do
    if player.mud == 0 and self:remove_cheese(player.cell) then
      local worth = both and 0.5 or 1
      player.score = player.score + worth
      if both then
        self.python.score = self.python.score + worth
      end
    end
  end
end

-- After a restart: the history of moves tells who is how deep in mud. A walk along it from the right
-- start ends where the player is now. Usually the start is the player's corner.
function State:recover_mud(history)
  self.turn = #history // 2
  local last = self.width * self.height - 1
  for number, player in ipairs({ self.rat, self.python }) do
    for i = -1, last do
      local walker = new_player(i >= 0 and i or number == 1 and 0 or last)
      for at = number, #history, 2 do
        self:advance(walker, history[at])
      end
      if walker.cell == player.cell then
        player.target, player.mud = walker.target, walker.mud
        break
      end
    end
  end
end

-- The cells in a text: "(0,0)-(0,1)".
function State:cells(text)
  local found = {}
  for x, y in text:gmatch("%((%d+),(%d+)%)") do
    found[#found + 1] = math.tointeger(tonumber(y)) * self.width + math.tointeger(tonumber(x))
  end
  return found
end

-- ---- the conversation ----

-- Writes a line, which leaves at once.
local function say(line)
  io.write(line, "\n")
  io.flush()
end

-- "rat:UP python:LEFT" as a table.
local function pairs_of(text)
  local found = {}
  for key, value in text:gmatch("(%S-):(%S+)") do
    found[key] = value
  end
  return found
end

-- Answers the engine until it is gone.
function protocol.play(move, name)
  local options, history, begun = {}, {}, false
  local state = new_state(options)
  for line in io.lines() do
    local word, rest = line:match("^%s*(%S*)%s*(.-)%s*$")
    local values = pairs_of(rest)
    if word == "isready" then
      say("readyok")
    elseif word == "pyrat" then
      say("id name " .. name)
      say("pyratready")
    elseif word == "setoption" then
      local key, value = rest:match("^name%s+(.-)%s+value%s+(.*)$")
      options[key or rest:match("^name%s+(.*)$") or rest] = value or ""
    elseif word == "newgame" or word == "recover" then
      state, history, begun = new_state(options), {}, false
    elseif word == "maze" then
      state:make_maze(math.tointeger(tonumber(values.width)), math.tointeger(tonumber(values.height)))
    elseif word == "walls" or word == "mud" then
      for part in rest:gmatch("%S+") do
        local cells = state:cells(part)
        local mud = math.tointeger(tonumber(part:match(":(%d+)$") or -1))
        state:set_cost(cells[1], cells[2], mud + 1)
      end
    elseif word == "cheese" then
      state.cheese = state:cells(rest)
    elseif word == "player1" or word == "player2" then
      local player = word == "player1" and state.rat or state.python
      player.cell = state:cells(rest)[1]
      player.target = player.cell
    elseif word == "timecontrol" then
      for key, ms in pairs(values) do
        state.time[key] = tonumber(ms)
      end
    elseif word == "moves_history" then
      for step in rest:gmatch("%S+") do
        history[#history + 1] = step
      end
      begun = true
    elseif word == "score" then
      state.rat.score, state.python.score = tonumber(values.rat), tonumber(values.python)
    elseif word == "youare" then
      if rest == "python" then
        state.me, state.other = state.python, state.rat
      end
      if begun then
        state:recover_mud(history)
      end
    elseif word == "startpreprocessing" then
      say("preprocessingdone")
    elseif word == "moves" then
      -- The first ones come before the first turn.
      if begun then
        state:step(values.rat, values.python)
      end
      begun = true
    elseif word == "go" then
      begun = true
      state.began = os.clock()
      say("move " .. move(state))
    elseif word == "ready?" then
      say("ready")
    elseif word == "startpostprocessing" then
      say("postprocessingdone")
    end
    -- `stop` and `timeout` come after the answer; `debug`, `current_position` and `gameover` tell
    -- nothing that this bot needs; what is not known is ignored.
  end
end

return protocol
